package parquetsort

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// The kinds of errors, for errors.Is. Those that package arrowsort has are the same values; files and what is wrong
// with them are errors of this package alone, since package arrowsort reads none.
var (
	// ErrOption is returned for an option that makes no sense.
	ErrOption = arrowsort.ErrOption
	// ErrSchema is returned for inputs whose columns do not agree. The error names file and column.
	ErrSchema = arrowsort.ErrSchema
	// ErrUnsorted is returned by Merge for an input that is not in order. The error is an *UnsortedError.
	ErrUnsorted = arrowsort.ErrUnsorted
	// ErrMemory is returned when something does not fit in the budget that cannot be spilled, and for a file that asks
	// for more memory than there is.
	ErrMemory = arrowsort.ErrMemory
	// ErrCorrupt is returned for a file that does not follow its format. The error is in a *FileError.
	ErrCorrupt = errkind.ErrCorrupt
	// ErrUnsupported is returned for a file that follows its format, but holds what cannot be read, and for a type that
	// the format of an output does not hold. The error is in a *FileError.
	ErrUnsupported = errkind.ErrUnsupported
)

// A FileError is an error of reading or writing a file, with the file's name.
type FileError = errkind.FileError

// An UnsortedError is an ErrUnsorted: a row of a file sorts before the row above it.
type UnsortedError struct {
	File string
	Row  int64 // in the file, from 0; row 0 sorts before the last row of the file before

	advice string
}

// Error names the file, the row and what to do.
func (e *UnsortedError) Error() string {
	return fmt.Sprintf("%v: %s: %v; %s", errUnsorted, e.File, &Violation{Row: e.Row}, e.advice)
}

// Unwrap returns ErrUnsorted.
func (e *UnsortedError) Unwrap() error { return ErrUnsorted }

// A Violation is a row that sorts before the one above it.
type Violation = roworder.Violation

// unsorted returns the error for files that have to be in order and are not.
func unsorted(ctx context.Context, d *dataset.Dataset, keyColumns []int, v *Violation) error {
	advice, err := d.TypeConflict(ctx, keyColumns, v.File)
	switch {
	case err != nil:
		return err
	case advice != "":
		advice += "; sort them together"
	default:
		advice = "sort the file first"
	}
	return &UnsortedError{File: v.File, Row: v.Row, advice: advice}
}

// The kinds with the words of this package.
var (
	errOption   = errkind.ErrFileOption
	errSchema   = errkind.ErrFileSchema
	errNoInputs = fmt.Errorf("%w: no inputs", errOption)
	errUnsorted = errkind.Reword(ErrUnsorted, "parquetsort: not sorted")
)
