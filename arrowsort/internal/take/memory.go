package take

import (
	"cmp"
	"context"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A gatherer holds what all columns of a call share. It owns every buffer and every array data made for a result until
// release; the array that is returned holds its own references.
type gatherer struct {
	ctx     context.Context
	mem     memory.Allocator
	threads int
	limit   int64      // the largest 32-bit offset
	blocks  [][]uint64 // positions of a block of rows, one for each worker
	owned   []interface{ Release() }
}

func newGatherer(ctx context.Context, opts Options, limit int64) *gatherer {
	mem := cmp.Or(opts.Allocator, memory.DefaultAllocator)
	return &gatherer{ctx: ctx, mem: mem, threads: workers.Count(opts.Threads), limit: limit}
}

func (g *gatherer) release() {
	for _, o := range g.owned {
		o.Release()
	}
	g.owned = nil
}

// buffer allocates a buffer of a result. Bytes between its length and its capacity are zero.
func (g *gatherer) buffer(size int) (*memory.Buffer, error) {
	if size == 0 {
		return memory.NewBufferBytes(nil), nil
	}
	b, err := g.scratch(size)
	if err == nil {
		g.owned = append(g.owned, b)
	}
	return b, err
}

// scratch allocates a buffer that the caller releases. Its capacity is a multiple of 64 bytes.
func (g *gatherer) scratch(size int) (*memory.Buffer, error) {
	if err := g.ctx.Err(); err != nil {
		return nil, err
	}
	bytes, err := engine.Allocate(g.mem, (size+63)&^63)
	if err != nil {
		return nil, err
	}
	clear(bytes[size:])
	b := memory.NewBufferWithAllocator(bytes, g.mem)
	b.ResizeNoShrink(size)
	return b, nil
}

// data makes the array data of a result.
func (g *gatherer) data(
	typ arrow.DataType, n int, buffers []*memory.Buffer, children []arrow.ArrayData, nulls int,
) *array.Data {
	return g.keep(array.NewData(typ, n, buffers, children, nulls, 0))
}

// keep makes data part of the result.
func (g *gatherer) keep(d *array.Data) *array.Data {
	g.owned = append(g.owned, d)
	return d
}

// as reads bytes as values of a fixed width, without copying: Arrow's buffers are little-endian, as every platform that
// Arrow's Go implementation casts them on.
func as[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
