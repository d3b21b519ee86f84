package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A Tree collects complete files in new folders, and moves these below an output folder at the end. What is collected
// lies in a locked folder beside the output, or inside of an output that is there already: what a process that was
// killed left there, the next one removes. An output that is there is locked, too: one tree at a time is written to it.
type Tree struct {
	output  string
	replace bool     // folders that are there already
	missing bool     // the output was not there: it is moved as a whole
	temp    *TempDir // has the new folders in newFolders, and at the end the replaced ones in oldFolders
	folders []string // that have files, below the output
	made    []string // that were made at the end below an output that was there
	moves   []move   // that were made at the end
	old     int      // folders that were replaced
	kept    bool     // they could not be moved back
}

// A move is a folder that got another name.
type move struct{ from, to string }

const (
	newFolders = "new"
	oldFolders = "old"
)

// NewTree begins a tree below an output folder, which need not be there. Folders that are there already are an error
// at the end, unless they are replaced. An output to which another tree is written is an error that says by which
// process.
func NewTree(output string, replace bool) (*Tree, error) {
	output = filepath.Clean(output)
	t := &Tree{output: followLinks(output), replace: replace}
	parent, lock := t.output, (*folderLock)(nil)
	if _, err := os.Stat(t.output); errors.Is(err, fs.ErrNotExist) {
		t.missing, parent = true, filepath.Dir(t.output)
	} else if err != nil {
		return nil, err
	} else if lock, err = lockFolder(t.output); err != nil {
		return nil, fmt.Errorf("%s: %w", output, err)
	}
	var err error
	if t.temp, err = NewTempDir(parent, outputPrefix); err != nil {
		lock.release()
		return nil, fmt.Errorf("%s: %w", output, err)
	}
	t.temp.around = lock
	for _, name := range []string{newFolders, oldFolders} {
		if err = os.Mkdir(t.at(name), 0o777); err != nil {
			t.Remove()
			return nil, fmt.Errorf("%s: %w", output, errors.Unwrap(err))
		}
	}
	return t, nil
}

// at returns a path in the locked folder.
func (t *Tree) at(elements ...string) string {
	return filepath.Join(append([]string{t.temp.Path()}, elements...)...)
}

// Folder makes a folder with a path below the output, in which there is none yet, and returns where its files are to be
// written.
func (t *Tree) Folder(name string) (string, error) {
	at := t.at(newFolders, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(t.output, name), errors.Unwrap(err))
	}
	switch err := os.Mkdir(at, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s: the file system does not tell its name from that of another folder of this output",
			filepath.Join(t.output, name))
	case err != nil:
		return "", fmt.Errorf("%s: %w", filepath.Join(t.output, name), errors.Unwrap(err))
	}
	t.folders = append(t.folders, name)
	return at, nil
}

// Sync has the disk hold the names of the files and folders, some folders at once.
func (t *Tree) Sync(atOnce int) error {
	var syncing errgroup.Group
	syncing.SetLimit(atOnce)
	synced := map[string]bool{}
	for _, name := range t.folders {
		for at := name; !synced[at]; at = filepath.Dir(at) { // ends with ".", which is its own folder
			synced[at] = true
			syncing.Go(func() error {
				if err := syncFolder(t.at(newFolders, at)); err != nil {
					return fmt.Errorf("%s: %w", filepath.Join(t.output, at), err)
				}
				return nil
			})
		}
	}
	return syncing.Wait()
}

// Place moves all folders to their places: an output that was not there at once, else one folder after the other. An
// error leaves the output as it was.
func (t *Tree) Place() error {
	if t.missing {
		if err := t.move(t.at(newFolders), t.output); err != nil {
			return fmt.Errorf("%s: %w", t.output, err)
		}
		return nil
	}
	if t.replace { // what is replaced stays if the process is killed meanwhile
		if err := t.temp.Unlock(); err != nil {
			return fmt.Errorf("%s: %w", t.output, err)
		}
	}
	for _, name := range t.folders {
		if err := t.place(name); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", filepath.Join(t.output, name), err), t.undo())
		}
	}
	return nil
}

// place moves a folder to its place, and the one that is there out of it.
func (t *Tree) place(name string) error {
	to := filepath.Join(t.output, name)
	if err := t.makeParents(filepath.Dir(name)); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		if !t.replace {
			return fs.ErrExist
		}
		t.old++
		if err := t.move(to, t.at(oldFolders, fmt.Sprint(t.old))); err != nil {
			return err
		}
	}
	return t.move(t.at(newFolders, name), to)
}

// makeParents makes the folders between the output and one of its folders.
func (t *Tree) makeParents(parents string) error {
	path := t.output
	for _, name := range strings.Split(parents, string(filepath.Separator)) {
		path = filepath.Join(path, name)
		BeforeChange()
		switch err := os.Mkdir(path, 0o777); {
		case err == nil:
			t.made = append(t.made, path)
		case !errors.Is(err, fs.ErrExist):
			return errors.Unwrap(err)
		}
	}
	return nil
}

func (t *Tree) move(from, to string) error {
	BeforeChange()
	if err := rename(from, to); err != nil {
		return errors.Unwrap(err) // without the temporary name
	}
	t.moves = append(t.moves, move{from, to})
	return nil
}

// rename is os.Rename, but for tests.
var rename = os.Rename

// undo reverses what Place did, the last change first. After an error the remaining changes stay, and what was replaced
// is kept where the error says.
func (t *Tree) undo() error {
	for ; len(t.moves) > 0; t.moves = t.moves[:len(t.moves)-1] {
		m := t.moves[len(t.moves)-1]
		if err := rename(m.to, m.from); err != nil {
			t.kept = t.replace
			return fmt.Errorf("moving folders back: %s: %w; what was there before is in %s", m.to, errors.Unwrap(err),
				t.at(oldFolders))
		}
	}
	for ; len(t.made) > 0; t.made = t.made[:len(t.made)-1] {
		if err := os.Remove(t.made[len(t.made)-1]); err != nil {
			return fmt.Errorf("removing empty folders: %w", err)
		}
	}
	return nil
}

// Remove removes what has no place, and the folders that were replaced, unless they could not be moved back.
func (t *Tree) Remove() {
	if t.kept {
		t.temp.Keep()
	} else {
		t.temp.Remove()
	}
}
