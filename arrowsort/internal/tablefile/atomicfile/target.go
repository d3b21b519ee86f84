package tablefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckTarget finds out whether a file can be written at a path, before the work that it is to hold is done: whether its
// folder is there and takes new files.
func CheckTarget(path string) error {
	if err := checkTarget(path); err != nil {
		return inFile(path, "standard output", err)
	}
	return nil
}

func checkTarget(path string) error {
	if _, ok := descriptorOf(path); ok || path == Pipe {
		return nil
	}
	target := path
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		target = behind
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return errors.New("is a folder, not a file")
		}
		return nil
	}
	folder := filepath.Dir(target)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	if err := takesFiles(folder); err != nil {
		return fmt.Errorf("no file can be made in the folder %s: %w", folder, err)
	}
	return nil
}
