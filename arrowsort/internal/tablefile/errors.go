package tablefile

import "github.com/arrowsort/arrowsort/arrowsort/internal/errkind"

// Errors of files that are corrupted, that are not supported, and that need more memory than there is.
var (
	ErrCorrupt     = errkind.ErrCorrupt
	ErrUnsupported = errkind.ErrUnsupported
	ErrLimit       = errkind.ErrLimit
)

// nameFile is errkind.InFile with the name of a pipe in place of "-".
func nameFile(path, pipe string, err error) error {
	if path == Pipe {
		path = pipe
	}
	return errkind.InFile(path, err)
}

// withFile calls f. It turns a panic into an ErrCorrupt, and adds the name of the file to the error.
func withFile[T any](path, pipe string, f func() (T, error)) (result T, err error) {
	err = errkind.Contain(func() error {
		result, err = f()
		return err
	})
	return result, nameFile(path, pipe, err)
}

// Pipe is the path of standard input and standard output.
const Pipe = "-"
