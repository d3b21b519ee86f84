// Package fileerror has the errors of files that cannot be read.
package fileerror

import (
	"errors"
	"fmt"
)

// ErrCorrupt is returned for a file that does not follow its format.
var ErrCorrupt = errors.New("corrupted file")

// ErrUnsupported is returned for a file that follows its format, but holds what cannot be read here.
var ErrUnsupported = errors.New("not supported")

// Corrupt returns an ErrCorrupt that says what is wrong.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// Unsupported returns an ErrUnsupported that names what is not supported.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%s is %w", fmt.Sprintf(format, args...), ErrUnsupported)
}
