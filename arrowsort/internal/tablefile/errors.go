package tablefile

import (
	"context"
	"errors"
	"io/fs"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// The errors of files that do not follow their format, that hold what cannot be read here, and that ask for more memory
// than there is.
var (
	ErrCorrupt     = errkind.ErrCorrupt
	ErrUnsupported = errkind.ErrUnsupported
	ErrLimit       = errkind.ErrLimit
)

// inFile puts the file's name before an error, unless it is nil, and makes it one line. Errors of the file system name
// the file already.
func inFile(path, pipe string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if path == Pipe {
		path = pipe
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &errkind.FileError{Path: path, Err: err}
}

// ofFile returns what f returns, with a panic as an ErrCorrupt and the file's name in the error.
func ofFile[T any](path, pipe string, f func() (T, error)) (result T, err error) {
	err = errkind.Contain(func() error {
		result, err = f()
		return err
	})
	return result, inFile(path, pipe, err)
}
