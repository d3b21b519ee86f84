package arrowsort

import (
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Errors name the key, column or row they are about. They match their kind by errors.Is; the packages rows, extsort,
// arrow18, parquetsort and beamsort return the same kinds. An error of the context is the context's.
var (
	// ErrNoKeys is returned when a record or a table is to be sorted by no keys. It matches arrow.ErrInvalid.
	ErrNoKeys = errkind.ErrNoKeys
	// ErrColumn is returned when a key names no column, or more than one. It matches arrow.ErrKey and arrow.ErrInvalid.
	ErrColumn = errkind.ErrColumn
	// ErrKeyType is returned when the type of a key, or of its elements, has no order. It matches
	// arrow.ErrNotImplemented.
	ErrKeyType = errkind.ErrKeyType
	// ErrOption is returned for an invalid key, option or input. It matches arrow.ErrInvalid.
	ErrOption = errkind.ErrOption
	// ErrRows is returned for a sort of 2^32 rows or more; Take has no such limit. It matches arrow.ErrInvalid.
	ErrRows = errkind.ErrRows
	// ErrOffsets is returned when an array of the result would be too long for its 32-bit offsets, 2 GiB of bytes or
	// 2^31 elements, or for the type of its run ends, and cannot be split into chunks: in a record or an array. It
	// matches arrow.ErrInvalid.
	ErrOffsets = errkind.ErrOffsets
	// ErrDictionary is returned when the chunks of a dictionary column have more different entries in total than the
	// indices of its type can number: 128 for int8, 32,768 for int16. Cast the column to a wider index type. It matches
	// arrow.ErrInvalid.
	ErrDictionary = errkind.ErrDictionary
	// ErrIndex is returned when a row number is null or out of range. It matches arrow.ErrIndex.
	ErrIndex = errkind.ErrIndex
	// ErrUnsorted is returned when data that has to be in the order of the keys is not. The error names the first row
	// that sorts before its predecessor. It matches arrow.ErrInvalid.
	ErrUnsorted = errkind.ErrUnsorted
	// ErrSchema is returned when columns that belong together differ in number, name or type. It matches arrow.ErrType
	// and arrow.ErrInvalid.
	ErrSchema = errkind.ErrSchema
	// ErrMemory is returned when the allocator fails or a device has too little memory. Packages that read files also
	// return it for a file that asks for more memory than there is.
	ErrMemory = errkind.ErrMemory
)

// translated is translate for the error that a function returns, if it is deferred.
func translated(err *error) { *err = translate(*err) }

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
