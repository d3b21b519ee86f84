package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const (
	outputPrefix = ".arrowsort-output-" // readers of a folder pass hidden files by
	lockName     = "lock"
)

// errLocked is returned by lockFile for a file that another process, or another open file, has locked.
var errLocked = errors.New("locked")

// tryLock is lockFile, but for tests.
var tryLock = lockFile

// A Folder is a folder for the runs or the unfinished outputs of one sort. The process holds a lock on a file in
// it: the operating system drops the lock with the process, however that ends.
type Folder struct {
	path  string
	lock  *os.File
	files int
}

// NewFolder makes a folder in dir, whose name has the prefix, and removes those that dead processes left there.
func NewFolder(dir, prefix string) (*Folder, error) {
	RemoveDead(dir, prefix)
	live.Lock()
	defer live.Unlock()
	const attempts = 100 // somebody who looks for dead folders may take a new one for dead before it is locked
	for range attempts {
		path, err := os.MkdirTemp(dir, prefix)
		if err != nil {
			return nil, fmt.Errorf("a folder for temporary files: %w", err)
		}
		lock, err := takeFolder(path, os.O_CREATE)
		if err == nil {
			f := &Folder{path: path, lock: lock}
			live.folders[f] = true
			return f, nil
		}
		if !errors.Is(err, errLocked) && !errors.Is(err, os.ErrNotExist) {
			os.RemoveAll(path)
			return nil, fmt.Errorf("a folder for temporary files: %w", err)
		}
	}
	return nil, fmt.Errorf("a folder for temporary files: none in %s could be locked", dir)
}

// takeFolder locks a folder. After it the folder is this process's, and was not removed before it was locked.
func takeFolder(path string, flag int) (*os.File, error) {
	name := filepath.Join(path, lockName)
	lock, err := os.OpenFile(name, flag|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	switch err = tryLock(lock); {
	case err == nil:
		err = sameFile(lock, name)
	case flag&os.O_CREATE != 0 && errors.Is(err, errors.ErrUnsupported):
		err = os.Rename(name, name+"-missing") // a file system without locks, such as Lustre by default; see RemoveDead
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// sameFile makes sure that an open file is still the one with the name.
func sameFile(file *os.File, name string) error {
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return errLocked
	}
	return nil
}

// RemoveDead removes the folders in dir with the prefix and a lock that nobody holds. Folders of other users stay, and
// those without a lock that are not empty, which somebody else made.
func RemoveDead(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // making the folder returns the error
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		lock, err := takeFolder(path, 0)
		if err == nil {
			(&Folder{path: path, lock: lock}).Remove()
		} else if errors.Is(err, os.ErrNotExist) {
			os.Remove(path) // of a process that was killed before it had the lock
		}
	}
}

// live are the folders of this process.
var live = struct {
	sync.Mutex
	folders map[*Folder]bool
}{folders: map[*Folder]bool{}}

// RemoveLive removes all folders of this process, which ends right after it: whoever wants to make or remove a folder
// meanwhile waits for good.
func RemoveLive() {
	live.Lock()
	for f := range live.folders {
		for range removals {
			if f.remove() == nil {
				break
			}
		}
	}
}

// removals is how often a folder is removed into which files may still be written.
const removals = 100

// Path is the path of the folder.
func (f *Folder) Path() string { return f.path }

// Next is the path of a new file.
func (f *Folder) Next(ext string) string {
	f.files++
	return filepath.Join(f.path, fmt.Sprintf("run-%d%s", f.files, ext))
}

// Remove removes the folder and all files in it, the lock last: a folder without one is never removed later.
func (f *Folder) Remove() error {
	err := f.remove()
	live.Lock()
	delete(live.folders, f)
	live.Unlock()
	return err
}

func (f *Folder) remove() error {
	entries, _ := os.ReadDir(f.path) // RemoveAll returns its error
	for _, e := range entries {
		if e.Name() != lockName {
			os.Remove(filepath.Join(f.path, e.Name()))
		}
	}
	f.lock.Close() // Windows removes no open file
	return os.RemoveAll(f.path)
}
