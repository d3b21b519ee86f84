package arrowsort

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Errors name the key, column or row they are about. Find out what they are with errors.Is. An error of the allocator
// matches engine.ErrMemory, one of the context is the context's.
var (
	// ErrNoKeys is returned when a record or a table is to be sorted by no keys. It matches arrow.ErrInvalid.
	ErrNoKeys = newError("must specify one or more sort keys", arrow.ErrInvalid)
	// ErrColumn is returned when a key names no column, or more than one. It matches arrow.ErrKey and arrow.ErrInvalid.
	ErrColumn = newError("invalid sort key column", arrow.ErrKey, arrow.ErrInvalid)
	// ErrKeyType is returned when the type of a key has no order. It matches arrow.ErrNotImplemented.
	ErrKeyType = newError("unsupported type of sort key", arrow.ErrNotImplemented)
	// ErrOption is returned for a key, an option or an input that makes no sense. It matches arrow.ErrInvalid.
	ErrOption = newError("invalid argument", arrow.ErrInvalid)
	// ErrRows is returned for a sort of 2^32 rows or more; Take has no such limit. It matches arrow.ErrInvalid.
	ErrRows = newError("too many rows", arrow.ErrInvalid)
	// ErrOffsets is returned when an array of the result would be too long for its 32-bit offsets, 2 GiB of bytes or
	// 2^31 elements, or for the type of its run ends, and cannot be split into chunks: in a record or an array. It
	// matches arrow.ErrInvalid.
	ErrOffsets = newError("too long for one array", arrow.ErrInvalid)
	// ErrDictionary is returned when the chunks of a dictionary column have more different entries in total than the
	// indices of its type can number: 128 for int8, 32,768 for int16. Cast the column to a wider index type. It matches
	// arrow.ErrInvalid.
	ErrDictionary = newError("too many dictionary entries", arrow.ErrInvalid)
	// ErrIndex is returned when a row number is null or out of range. It matches arrow.ErrIndex.
	ErrIndex = newError("invalid row number", arrow.ErrIndex)
	// ErrUnsorted is returned when data that has to be in the order of the keys is not. The error names the first row
	// that sorts before its predecessor. It matches arrow.ErrInvalid.
	ErrUnsorted = newError("not sorted", arrow.ErrInvalid)
	// ErrSchema is returned when columns that belong together differ in number, name or type. It matches arrow.ErrType
	// and arrow.ErrInvalid.
	ErrSchema = newError("columns differ", arrow.ErrType, arrow.ErrInvalid)
)

// sentinel is an error that matches errors of Arrow too.
type sentinel struct {
	text  string
	kinds []error
}

func newError(text string, kinds ...error) error { return &sentinel{"arrowsort: " + text, kinds} }

func (e *sentinel) Error() string { return e.text }

func (e *sentinel) Is(target error) bool { return slices.Contains(e.kinds, target) }

// translate lets errors of the parts match the errors of this package.
func translate(err error) error {
	switch {
	case errors.Is(err, take.ErrOffsets), errors.Is(err, engine.ErrOffsets):
		return fmt.Errorf(
			"%w: pass it as a table or a chunked array, or cast it to a type with wider offsets: %w", ErrOffsets, err,
		)
	case errors.Is(err, take.ErrDictionary):
		return fmt.Errorf("%w: %w", ErrDictionary, err)
	case errors.Is(err, engine.ErrRows):
		return fmt.Errorf("%w: %w", ErrRows, err)
	}
	return err
}
