//go:build !windows

package tablefile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// pendingFile is a file beside its place. Its bytes are on their way to the disk while more are written, so that the sync at the end is
// short.
type pendingFile struct {
	*renameio.PendingFile
	written, begun int64
}

// writeBackStep is the bytes that are sent to the disk at a time.
const writeBackStep = 8 << 20

func newPending(path string) (pending, error) {
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	return &pendingFile{PendingFile: file}, nil
}

func (f *pendingFile) Write(b []byte) (int, error) {
	n, err := f.PendingFile.Write(b)
	if f.written += int64(n); f.written-f.begun >= writeBackStep {
		writeBack(f.File, f.begun, f.written-f.begun)
		f.begun = f.written
	}
	return n, err
}

func (f *pendingFile) Commit() error { return f.CloseAtomicallyReplace() }

func (f *pendingFile) Abort() { f.Cleanup() } // without effect once the file was renamed

// takesFiles says why no file can be made in a folder.
func takesFiles(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }
