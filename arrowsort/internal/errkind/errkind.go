// Package errkind has the kinds of errors that users match with errors.Is, one value for each kind, and turns panics of
// libraries into errors. It lies below all packages that return them.
package errkind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// The kinds. Packages export those that they return, with their contracts.
var (
	ErrNoKeys     = newKind("must specify one or more sort keys", arrow.ErrInvalid)
	ErrColumn     = newKind("invalid sort key column", arrow.ErrKey, arrow.ErrInvalid)
	ErrKeyType    = newKind("unsupported type of sort key", arrow.ErrNotImplemented)
	ErrOption     = newKind("invalid argument", arrow.ErrInvalid)
	ErrRows       = newKind("too many rows", arrow.ErrInvalid)
	ErrOffsets    = newKind("too long for one array", arrow.ErrInvalid)
	ErrDictionary = newKind("too many dictionary entries", arrow.ErrInvalid)
	ErrIndex      = newKind("invalid row number", arrow.ErrIndex)
	ErrUnsorted   = newKind("not sorted", arrow.ErrInvalid)
	ErrSchema     = newKind("columns differ", arrow.ErrType, arrow.ErrInvalid)

	// ErrMemory is that of the engines, which lie below this package.
	ErrMemory = engine.ErrMemory
	// ErrLimit is the ErrMemory of a file that asks for more memory than it may take.
	ErrLimit = Reword(ErrMemory, "not enough memory")
	// ErrBudget is the ErrMemory of data that do not fit in a budget and cannot be spilled.
	ErrBudget = Reword(ErrMemory, "arrowsort: the memory budget is too small")

	// ErrFileOption and ErrFileSchema are ErrOption and ErrSchema in the words of package parquetsort.
	ErrFileOption = Reword(ErrOption, "parquetsort: invalid option")
	ErrFileSchema = Reword(ErrSchema, "parquetsort: schemas differ")

	// ErrCorrupt is returned for a file that does not follow its format.
	ErrCorrupt = errors.New("corrupted file")
	// ErrSpillFull is returned when there is no space for what is spilled.
	ErrSpillFull = errors.New("the spill folder is full")
	// ErrUnsupported is returned for a file that follows its format, but holds what cannot be read here.
	ErrUnsupported = errors.New("not supported")
)

// A kind is an error that matches errors of Arrow too.
type kind struct {
	text  string
	arrow []error
}

func newKind(text string, arrow ...error) error { return &kind{"arrowsort: " + text, arrow} }

func (k *kind) Error() string { return k.text }

func (k *kind) Is(target error) bool { return slices.Contains(k.arrow, target) }

// Reword returns an error of a kind with another text.
func Reword(kind error, text string) error { return &reworded{kind, text} }

type reworded struct {
	kind error
	text string
}

func (r *reworded) Error() string { return r.text }

func (r *reworded) Unwrap() error { return r.kind }

// SpillFull makes an ErrSpillFull of the error of a write to a spill folder that has no space. Others stay as they are.
func SpillFull(folder string, err error) error {
	full := []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	if runtime.GOOS == "windows" { // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED
		full = []syscall.Errno{112, 39, 1295}
	}
	var number syscall.Errno
	if errors.As(err, &number) && slices.Contains(full, number) {
		return fmt.Errorf("%w: %s: %w", ErrSpillFull, folder, number)
	}
	return err
}

// A ColumnError is an error about a column that a key or an option names.
type ColumnError struct {
	Column string // empty: it is given by its position
	Err    error
}

// Error is the text of the error, which names the column.
func (e *ColumnError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the column.
func (e *ColumnError) Unwrap() error { return e.Err }

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
