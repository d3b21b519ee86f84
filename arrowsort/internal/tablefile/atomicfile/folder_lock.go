package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// folderLockName is the file by which a process keeps others from writing partitions to the same folder. Readers pass
// hidden files by.
const folderLockName = ".arrowsort-lock"

// A folderLock is held on an output folder from before the first file of a tree until all of them are in their places:
// of two processes that replace partitions of one folder at the same time, some of the one and some of the other would
// stay. The operating system drops the lock with the process; a file that a killed process left is locked again.
type folderLock struct {
	folder *os.Root
	file   *os.File
}

// lockFolder locks a folder. The error of a folder that is locked says by which process. Where the file system has no
// locks, as Lustre by default, the folder is not locked.
func lockFolder(path string) (*folderLock, error) {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	l := &folderLock{folder: folder}
	for again := true; again; {
		if again, err = l.take(); err != nil {
			folder.Close()
			return nil, err
		}
	}
	return l, nil
}

// take locks the file. It has to be done again if the process that held the lock removed the file meanwhile.
func (l *folderLock) take() (again bool, err error) {
	file, err := l.folder.OpenFile(folderLockName, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return false, errors.Unwrap(err)
	}
	defer func() {
		if l.file != file {
			file.Close()
		}
	}()
	switch err := tryLock(file); {
	case errors.Is(err, errLocked):
		return false, fmt.Errorf("another sort writes to the folder: %s", holderOf(file))
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return false, err
	}
	opened, err := file.Stat()
	if err != nil {
		return false, err
	}
	if named, err := l.folder.Lstat(folderLockName); err != nil || !os.SameFile(opened, named) {
		if err == nil && !named.Mode().IsRegular() {
			err = errReplaced
		}
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return err == nil, err
	}
	l.file = file
	return false, l.sign()
}

// holderAt is where the text about the holder begins. Windows keeps others from reading the first byte of a file that
// is locked.
const holderAt = 1

// sign writes which process holds the lock.
func (l *folderLock) sign() error {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.NewOffsetWriter(l.file, holderAt), "process %d on %s, since %s", os.Getpid(), host,
		time.Now().Format(time.DateTime))
	return err
}

// holderOf reads which process holds the lock of a file.
func holderOf(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, holderAt, 1<<10))
	if err != nil || len(text) == 0 {
		return "a process that has just begun"
	}
	return string(text)
}

// release removes the file and drops the lock. That of nil does nothing.
func (l *folderLock) release() {
	if l == nil || l.file == nil {
		return
	}
	BeforeChange()
	if l.folder.Remove(folderLockName) != nil { // Windows removes no open file
		l.file.Close()
		l.folder.Remove(folderLockName)
	}
	l.file.Close()
	l.folder.Close()
	l.file = nil
}
