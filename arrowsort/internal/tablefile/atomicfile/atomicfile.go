// Package atomicfile writes files that appear under their names when they are complete, or not at all. A Placement
// gives a file a temporary name, Create writes it, past the page cache where the system lets it, and Placement.Place
// renames it. Devices, named pipes and open files such as /dev/fd/3 are written in place.
package atomicfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is a file that is not complete yet. Flush and Commit follow the last Write, in this order.
type File interface {
	io.Writer
	Flush() error  // writes what is buffered
	Commit() error // syncs and closes the file; an error removes it
	Abort()        // in place of Commit: removes the file if Create made it
}

// Create creates the file for a path, or empties the one that is there. Opening a device or a named pipe, and writing
// to it, waits for the other end until the context is cancelled.
func Create(ctx context.Context, path string) (File, error) {
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
	d, ok := descriptorOf(path)
	if ok {
		open = func() (*os.File, error) { return d.open(path) }
	}
	if ok || isDeviceOrPipe(path) {
		file, err := Open(ctx, open)
		if err != nil {
			return nil, err
		}
		return inPlace{interruptible(ctx, file), file}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return newFile{newDirectFile(file), file}, nil
}

// InPlace returns a file that is written to w, which is not closed. Writing to an *os.File waits until the context is
// cancelled; other writers have to return by themselves.
func InPlace(ctx context.Context, w io.Writer) File {
	if file, ok := w.(*os.File); ok {
		w = interruptible(ctx, file)
	}
	return inPlace{w, nil}
}

// Replaces reports whether Create makes a file at a path, which Abort removes.
func Replaces(path string) bool {
	_, ok := descriptorOf(path)
	return !ok && !isDeviceOrPipe(path)
}

// isDeviceOrPipe reports whether there is a device or a pipe at a path.
func isDeviceOrPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// followLinks returns the file that a path leads to, which need not be there.
func followLinks(path string) string {
	for at, links := path, 0; links < mostLinks; links++ {
		if target, err := filepath.EvalSymlinks(at); err == nil {
			return target
		}
		next, err := nextLink(at)
		if err != nil {
			return at
		}
		at = next
	}
	return path
}

// nextLink returns where a link leads to. Its folder may be a link, of which ".." leads to another folder.
func nextLink(path string) (string, error) {
	link, err := os.Readlink(path)
	if err != nil || filepath.IsAbs(link) {
		return link, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, link), err
}

// mostLinks are followed from one to the next: more lead back to the first.
const mostLinks = 40

// A newFile is a file that was created.
type newFile struct {
	*directFile
	file *os.File
}

func (f newFile) Commit() error {
	err := cmp.Or(f.Flush(), f.file.Sync(), f.file.Close())
	if err != nil {
		os.Remove(f.file.Name())
	}
	return err
}

func (f newFile) Abort() {
	f.file.Close()
	os.Remove(f.file.Name())
}

// inPlace is a file that was there before.
type inPlace struct {
	io.Writer
	file io.Closer // nil: it stays open
}

func (f inPlace) Flush() error { return nil }

func (f inPlace) Commit() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

func (f inPlace) Abort() { _ = f.Commit() }

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
		return noFolder(folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	if err := checkWritable(folder); err != nil {
		return fmt.Errorf("no file can be made in the folder %s: %w", folder, err)
	}
	return nil
}

// noFolder is the error of a folder that is missing, an fs.ErrNotExist.
type noFolder string

func (f noFolder) Error() string { return "there is no folder " + string(f) }

func (noFolder) Is(target error) bool { return target == fs.ErrNotExist }
