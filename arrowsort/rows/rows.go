package rows

import (
	"bytes"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rowcode"
)

// Rows are rows of bytes in one buffer: row i lies from offset i up to offset i+1. They cost 8 bytes per row besides
// the rows themselves. They are not changed.
type Rows struct{ encoded rowcode.Rows }

// NewRows borrows rows that came from elsewhere: n+1 offsets of n rows in data, the first of which need not be 0. It
// fails with arrowsort.ErrOption when there is no offset, and when offsets fall or leave the data.
func NewRows(data []byte, offsets []int64) (*Rows, error) {
	if len(offsets) == 0 {
		return nil, fmt.Errorf("%w: no offsets of rows; give one more than there are rows", arrowsort.ErrOption)
	}
	last := int64(0)
	for i, o := range offsets {
		if o < last || o > int64(len(data)) {
			return nil, fmt.Errorf("%w: offset %d of rows is %d, after %d, in %d bytes",
				arrowsort.ErrOption, i, o, last, len(data))
		}
		last = o
	}
	return &Rows{rowcode.Rows{Data: data, Offsets: offsets}}, nil
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.encoded.Len() }

// Row returns the bytes of row i, which are borrowed: valid until Release, and not to be written.
func (r *Rows) Row(i int) []byte { return r.encoded.Row(i) }

// Compare compares rows i and j: -1, 0 or +1, as bytes.Compare.
func (r *Rows) Compare(i, j int) int { return bytes.Compare(r.Row(i), r.Row(j)) }

// Bytes returns all rows, one after the other, borrowed.
func (r *Rows) Bytes() []byte { return r.encoded.Data }

// Offsets returns the offsets of the rows in Bytes and the end of the last one, borrowed.
func (r *Rows) Offsets() []int64 { return r.encoded.Offsets }

// Release gives the memory of encoded rows back to the allocator. The rows must not be used any more; a second Release
// does nothing.
func (r *Rows) Release() { r.encoded.Release() }
