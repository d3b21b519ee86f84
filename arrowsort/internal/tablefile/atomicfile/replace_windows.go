package tablefile

import (
	"os"
	"path/filepath"
)

// pendingFile is a file beside its place.
type pendingFile struct {
	*os.File
	path      string
	committed bool
}

func newPending(path string) (pending, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &pendingFile{File: file, path: path}, nil
}

func (f *pendingFile) flush() error { return nil }

func (f *pendingFile) Commit() error {
	defer f.Abort()
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err := os.Rename(f.Name(), f.path)
	f.committed = err == nil
	return err
}

func (f *pendingFile) Abort() {
	if !f.committed {
		f.Close() // an error when it is closed already
		os.Remove(f.Name())
	}
}

// takesFiles says why no file can be made in a folder; what is allowed is known only when it is done.
func takesFiles(folder string) error {
	file, err := os.CreateTemp(folder, ".probe*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
