//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile locks a file, or returns errLocked at once.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// ownerOf returns the number of the user that owns a file, as os.Geteuid does.
func ownerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// checkWritable returns why no file can be made in a folder.
func checkWritable(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }

// syncFolder has the disk hold the names in a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// open opens the descriptor for writing, where its file is being written. A descriptor of this process is duplicated:
// opened by its path, a file would be written from its start. The file of another process is appended to.
func (d descriptor) open(path string) (*os.File, error) {
	if !d.own {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, err := syscall.Dup(d.number)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), path), nil
}
