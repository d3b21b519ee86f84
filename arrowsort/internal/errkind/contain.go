// Package errkind has the errors of files that cannot be read.
package errkind

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// ErrCorrupt is returned for a file that does not follow its format.
var ErrCorrupt = errors.New("corrupted file")

// ErrUnsupported is returned for a file that follows its format, but holds what cannot be read here.
var ErrUnsupported = errors.New("not supported")

// ErrMemory is returned for a file that asks for more memory than there is.
var ErrMemory = errors.New("not enough memory")

// Corrupt returns an ErrCorrupt with a text.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// Unsupported returns an ErrUnsupported that names what is not supported.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%s is %w", fmt.Sprintf(format, args...), ErrUnsupported)
}

// Contain runs f and returns its error, or its panic as an ErrCorrupt: the readers of Arrow and Parquet panic on bad
// bytes. Errors that were panicked with stay visible to errors.Is.
func Contain(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			what := strings.TrimPrefix(p.Error(), "runtime error: ")
			err = Corrupt("lengths and offsets in it contradict each other (%s)", what)
		case error:
			if err = p; !errors.Is(p, ErrCorrupt) && !errors.Is(p, ErrMemory) {
				err = fmt.Errorf("%w: %w", ErrCorrupt, p)
			}
		default:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	return f()
}

// ContainWriting runs f, which writes a file, and returns its error, or its panic as an error: what the libraries of a
// format do not write is no fault of the file.
func ContainWriting(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("the data do not fit the library that writes this format (%s)",
				strings.TrimPrefix(p.Error(), "runtime error: "))
		case error:
			err = p
		default:
			err = fmt.Errorf("%v", p)
		}
	}()
	return f()
}
