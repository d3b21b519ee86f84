package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file, or returns errLocked at once.
func lockFile(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

// ownerOf returns the result of os.Geteuid: Windows has no numeric user ids, and its users share no temporary folder.
func ownerOf(fs.FileInfo) int { return os.Geteuid() }

// checkWritable makes a file in a folder and removes it: Windows has no reliable check of access.
func checkWritable(folder string) error {
	file, err := os.CreateTemp(folder, ".probe*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// syncFolder does nothing: Windows syncs no folders.
func syncFolder(string) error { return nil }

// open opens the path; Windows has no paths for descriptors.
func (d descriptor) open(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
