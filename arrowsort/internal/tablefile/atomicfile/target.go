package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Check returns why no file can be written at a path: it is a folder, or its folder is missing or takes no new files.
func Check(path string) error {
	if _, ok := descriptorOf(path); ok {
		return nil
	}
	target := followLinks(path)
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
