//go:build !windows

package tablefile

import (
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// replaceFile writes a file beside path, syncs it and renames it to path; after an error path is as it was.
func replaceFile(path string, write func(w io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer file.Cleanup() // without effect once the file was renamed
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// takesFiles says why no file can be made in a folder.
func takesFiles(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }
