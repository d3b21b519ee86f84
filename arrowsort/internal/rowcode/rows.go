package rowcode

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/machine"
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

// allocations allocates the buffers of one call and holds a reference to each of them until release.
type allocations struct {
	mem   memory.Allocator
	owned []*memory.Buffer
}

// allocate returns a buffer of undefined bytes; those up to a multiple of 64 bytes are zero.
func (b *allocations) allocate(ctx context.Context, size int) (*memory.Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size == 0 {
		return memory.NewBufferBytes([]byte{}), nil
	}
	bytes, err := engine.Allocate(b.mem, (size+63)&^63)
	if err != nil {
		return nil, err
	}
	machine.AdviseHuge(bytes, machine.HugeBytes)
	clear(bytes[size:])
	buffer := memory.NewBufferWithAllocator(bytes, b.mem)
	buffer.ResizeNoShrink(size)
	b.owned = append(b.owned, buffer)
	return buffer, nil
}

// newRows returns n rows whose offsets are undefined but for the first one, without data.
func (b *allocations) newRows(ctx context.Context, n int) (*Rows, error) {
	buffer, err := b.allocate(ctx, (padding+n+1)*arrow.Int64SizeBytes)
	if err != nil {
		return nil, err
	}
	offsets := arrow.Int64Traits.CastFromBytes(buffer.Bytes())
	clear(offsets[:padding+1])
	return &Rows{Offsets: offsets[padding:], padded: buffer.Bytes()}, nil
}

// finish hands all buffers to rows with these bytes.
func (b *allocations) finish(rows *Rows, data *memory.Buffer) *Rows {
	rows.Data, rows.owned = data.Bytes(), b.owned
	return rows
}

func (b *allocations) release() {
	for _, buffer := range b.owned {
		buffer.Release()
	}
	b.owned = nil
}
