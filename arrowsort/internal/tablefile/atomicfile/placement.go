package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Placement collects complete files in folders beside their places, and moves them there at the end. Such a folder is
// locked: what a process that was killed left there, the next one removes.
type Placement struct {
	folders map[string]*TempDir // by the folder of the outputs
	files   []placedFile
}

// A placedFile is an output that is written at one path and moved to another.
type placedFile struct{ output, at, to string }

// Path returns the path at which an output is to be written, of which Replaces is true.
func (p *Placement) Path(output string) (string, error) {
	to := followLinks(output) // the target of a link is replaced, not the link
	dir := filepath.Dir(to)
	if p.folders[dir] == nil {
		folder, err := NewTempDir(dir, outputPrefix)
		if err != nil {
			return "", fmt.Errorf("%s: %w", output, err)
		}
		if p.folders == nil {
			p.folders = map[string]*TempDir{}
		}
		p.folders[dir] = folder
	}
	at := p.folders[dir].Next(filepath.Ext(output))
	p.files = append(p.files, placedFile{output, at, to})
	return at, nil
}

// Place moves all files to their places, with the permissions of those that they replace. The error of one names those
// that are in their places and those that are not.
func (p *Placement) Place() error {
	for i, f := range p.files {
		if err := f.place(); err != nil {
			return fmt.Errorf("%s: %w%s", f.output, err, p.progressText(i))
		}
	}
	return nil
}

func (f *placedFile) place() error {
	if old, err := os.Stat(f.to); err == nil && old.Mode().IsRegular() {
		BeforeChange()
		if err := os.Chmod(f.at, old.Mode().Perm()); err != nil {
			return err
		}
	}
	BeforeChange()
	if err := os.Rename(f.at, f.to); err != nil {
		return errors.Unwrap(err) // without the temporary name
	}
	return nil
}

// progressText names which of several files are in their places when the first n are.
func (p *Placement) progressText(n int) string {
	if len(p.files) == 1 {
		return ""
	}
	span := func(files []placedFile) string {
		switch len(files) {
		case 0:
			return "none"
		case 1:
			return files[0].output
		}
		return files[0].output + " to " + files[len(files)-1].output
	}
	return fmt.Sprintf("; of %d outputs these are in place: %s; these are not: %s", len(p.files), span(p.files[:n]),
		span(p.files[n:]))
}

// Remove removes the folders and all files that were not placed.
func (p *Placement) Remove() {
	for _, folder := range p.folders {
		folder.Remove()
	}
	p.folders = nil
}

// IsSame reports whether two paths are of one file or folder, which is there.
func IsSame(a, b string) bool {
	x, err := os.Stat(a)
	y, missing := os.Stat(b)
	return err == nil && missing == nil && os.SameFile(x, y)
}
