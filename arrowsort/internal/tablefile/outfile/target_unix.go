//go:build !windows

package atomicfile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// A pendingFile is a temporary file in the folder of the file that it becomes.
type pendingFile struct {
	*renameio.PendingFile
	direct *directFile
}

func createPending(path string) (File, error) {
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	return &pendingFile{file, newDirectFile(file.File)}, nil
}

func (f *pendingFile) Write(b []byte) (int, error) { return f.direct.Write(b) }

func (f *pendingFile) Flush() error { return f.direct.Flush() }

func (f *pendingFile) Commit() error {
	defer f.Abort()
	if err := f.Flush(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

func (f *pendingFile) Abort() { f.Cleanup() } // without effect once the file was renamed

// takesFiles returns why no file can be made in a folder.
func takesFiles(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }
