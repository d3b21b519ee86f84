package rowcode

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ErrRow is returned when bytes to decode are not rows of the format. It matches arrow.ErrInvalid.
var ErrRow = fmt.Errorf("arrowsort/rows: malformed row: %w", arrow.ErrInvalid)

// Options are the options of a call.
type Options struct {
	Allocator memory.Allocator // called from one goroutine at a time
	Threads   int              // 0: GOMAXPROCS
}

// Rows are rows of bytes in one buffer: row i lies from offset i up to offset i+1.
type Rows struct {
	Data    []byte
	Offsets []int64
	padded  []byte // the offsets, after padding zeros
	owned   []*memory.Buffer
}

// padding is the number of offsets before the first one, so that the first row of a chunk may have any offset below 8.
const padding = 8

// offsetsFrom returns the offsets from that of a row on, which may be up to padding rows before the first one.
func (r *Rows) offsetsFrom(row int) []byte { return r.padded[arrow.Int64SizeBytes*(padding+row):] }

// Len returns the number of rows.
func (r *Rows) Len() int { return max(0, len(r.Offsets)-1) }

// Row returns the bytes of row i, which are borrowed.
func (r *Rows) Row(i int) []byte {
	lo, hi := r.Offsets[i], r.Offsets[i+1]
	return r.Data[lo:hi:hi]
}

// Release gives memory that Encode allocated back, and removes all rows.
func (r *Rows) Release() {
	memory.ReleaseBuffers(r.owned)
	*r = Rows{Offsets: []int64{0}}
}
