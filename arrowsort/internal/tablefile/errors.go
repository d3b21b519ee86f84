package tablefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// ErrCorrupt is returned for a file that does not follow its format, ErrUnsupported for one that follows it, but holds
// what cannot be read here.
var (
	ErrCorrupt     = fileerror.ErrCorrupt
	ErrUnsupported = fileerror.ErrUnsupported
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
	return &fileError{path: path, err: err}
}

// ofFile returns what f returns, with a panic as an ErrCorrupt and the file's name in the error.
func ofFile[T any](path, pipe string, f func() (T, error)) (result T, err error) {
	err = contain(func() error {
		result, err = f()
		return err
	})
	return result, inFile(path, pipe, err)
}

type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string {
	return fmt.Sprintf("%s: %s", e.path, strings.Join(strings.Fields(e.err.Error()), " "))
}

func (e *fileError) Unwrap() error { return e.err }
