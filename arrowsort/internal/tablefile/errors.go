package tablefile

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// The errors of files that do not follow their format, that hold what cannot be read here, and that ask for more memory
// than there is.
var (
	ErrCorrupt     = errkind.ErrCorrupt
	ErrUnsupported = errkind.ErrUnsupported
	ErrLimit       = errkind.ErrLimit
)

// inFile is errkind.InFile with the name of a pipe in place of "-".
func inFile(path, pipe string, err error) error {
	if path == Pipe {
		path = pipe
	}
	return errkind.InFile(path, err)
}

// ofFile returns what f returns, with a panic as an ErrCorrupt and the file's name in the error.
func ofFile[T any](path, pipe string, f func() (T, error)) (result T, err error) {
	err = errkind.Contain(func() error {
		result, err = f()
		return err
	})
	return result, inFile(path, pipe, err)
}
