package errkind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
)

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

// A FileError is an error of reading or writing a file, with the file's name.
type FileError struct {
	Path string
	Err  error
}

// Error is one line, without the prefix of panics that the readers of Arrow and Parquet made errors of: it is the file
// that is wrong, not the run.
func (e *FileError) Error() string {
	text := strings.Join(strings.Fields(e.Err.Error()), " ")
	return fmt.Sprintf("%s: %s", e.Path, strings.ReplaceAll(text, "runtime error: ", ""))
}

// Unwrap returns the error without the file's name.
func (e *FileError) Unwrap() error { return e.Err }

// InFile puts the file's name before an error, unless it is nil or that of a context, and makes it one line. Errors of
// the file system name the file already.
func InFile(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &FileError{Path: path, Err: err}
}
