//go:build !windows

package atomicfile

import (
	"os"
	"syscall"
)

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
