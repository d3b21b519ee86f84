package tablefile

import (
	"io"
	"os"
	"path/filepath"
)

// replaceFile writes a file beside path, syncs it and renames it to path; after an error path is as it was.
func replaceFile(path string, write func(w io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer func() {
		file.Close() // an error when it is closed already
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
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
