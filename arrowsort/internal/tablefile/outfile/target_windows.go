package atomicfile

import (
	"os"
	"path/filepath"
)

// A pendingFile is a temporary file in the folder of the file that it becomes.
type pendingFile struct {
	*os.File
	path      string
	committed bool
}

func createPending(path string) (File, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &pendingFile{File: file, path: path}, nil
}

func (f *pendingFile) Flush() error { return nil }

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

// takesFiles makes a file in a folder and removes it: no call of Windows returns what is allowed without trying it.
func takesFiles(folder string) error {
	file, err := os.CreateTemp(folder, ".probe*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
