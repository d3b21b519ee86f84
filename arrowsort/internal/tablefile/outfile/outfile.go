// Package atomicfile writes files that appear under their names when they are complete, or not at all.
//
// A file is written in the folder of its target, synced and renamed. Devices, named pipes and open files such as
// /dev/fd/3 are written in place.
package atomicfile

import (
	"io"
	"os"
	"path/filepath"
)

// A File is a file that does not have its name yet. Flush and Commit follow the last Write, in this order.
type File interface {
	io.Writer
	Flush() error  // writes what is buffered
	Commit() error // syncs the file and gives it its name; an error removes the file
	Abort()        // removes the file; without effect after Commit
}

// Create creates the file for a path. The target of a link is replaced, not the link.
func Create(path string) (File, error) {
	if d, ok := descriptorOf(path); ok {
		file, err := d.open(path)
		return inPlace{file}, err
	}
	if isOpened(path) {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		return inPlace{file}, err
	}
	return createPending(followLinks(path))
}

// InPlace returns a file that is written to w, which is not closed.
func InPlace(w io.Writer) File { return inPlace{openWriter{w}} }

// Replaces reports whether what is written to a path appears there with Commit, and nothing after an error.
func Replaces(path string) bool {
	_, ok := descriptorOf(path)
	return !ok && !isOpened(path)
}

// isOpened reports whether there is a device or a pipe at a path.
func isOpened(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// followLinks returns the file that a path leads to, or the path when there is none.
func followLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// inPlace is a file that cannot be renamed over.
type inPlace struct{ io.WriteCloser }

func (f inPlace) Flush() error { return nil }

func (f inPlace) Commit() error { return f.Close() }

func (f inPlace) Abort() { f.Close() }

// An openWriter stays open.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }
