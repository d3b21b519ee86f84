package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// ErrOffsets is returned when the result would pass the range of its 32-bit offsets or run ends and may not be split.
// It also matches arrow.ErrInvalid.
var ErrOffsets = fmt.Errorf("take: offsets would overflow: %w", arrow.ErrInvalid)

// ErrDictionary is returned when the dictionaries of the chunks have more entries in total than the index type numbers.
// It also matches arrow.ErrInvalid.
var ErrDictionary = fmt.Errorf("take: too many dictionary entries: %w", arrow.ErrInvalid)

// errMalformed is wrapped by errors about chunks whose buffers contradict each other.
var errMalformed = fmt.Errorf("take: malformed column: %w", arrow.ErrInvalid)

// An overflowError says how much one array would have to hold and how much it can.
type overflowError struct {
	typ         arrow.DataType
	need, limit int64
}

func (e *overflowError) Error() string {
	return fmt.Sprintf("%v: %s would have to hold %d and holds at most %d",
		ErrOffsets, e.typ, e.need, e.limit)
}

func (e *overflowError) Unwrap() error { return ErrOffsets }

// contain turns a panic of work into an error: buffers that contradict each other (indices and offsets read from a
// file, say) must not end the program.
func contain(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errMalformed, p)
		}
	}()
	return work()
}
