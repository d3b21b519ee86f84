package take

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Options of Take; the zero value is right.
type Options struct {
	// Allocator gives the memory of the result and of temp storage, called from the calling goroutine only; nil:
	// memory.DefaultAllocator.
	Allocator memory.Allocator
	Threads   int  // the largest number of goroutines; 0: GOMAXPROCS
	Split     bool // return several arrays where one would pass the range of its offsets
}

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
	machine.AdviseHuge(bytes, machine.HugeBytes)
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

const (
	// rows of one unit of work, fewer are not worth a goroutine; a multiple of 64, so that no two tiles write to one
	// byte of a bitmap
	tileRows  = 1 << 15
	tileBytes = 1 << 20 // bytes of one unit of work where rows are wide or spans are copied
	// rows whose positions are worked out at once, a multiple of 64; their positions stay in the first-level cache
	blockRows = 1 << 10
)

// tiles calls work for all of [0,n) in tiles of tileRows rows, on several goroutines when there is enough to do.
func (g *gatherer) tiles(n int, work func(lo, hi int, block []uint64) error) error {
	return g.tilesOf(tileRows, n, work)
}

// tilesOf calls work for [0,n) in tiles of size rows, in no order, until the first error or the end of the context.
// block holds the positions of blockRows rows.
func (g *gatherer) tilesOf(size, n int, work func(lo, hi int, block []uint64) error) error {
	count := (n + size - 1) / size
	for len(g.blocks) < min(g.threads, count) {
		g.blocks = append(g.blocks, make([]uint64, blockRows))
	}
	return workers.Run(g.ctx, count, g.threads, func(worker, tile int) error {
		return work(tile*size, min(tile*size+size, n), g.blocks[worker])
	})
}

// eachBlock calls do for the positions of rows [lo,hi) of sel, at most blockRows at a time.
func eachBlock(sel selection, lo, hi int, block []uint64, do func(lo int, at []uint64) error) error {
	for ; lo < hi; lo += blockRows {
		m := min(blockRows, hi-lo)
		if err := do(lo, sel.at(lo, lo+m, block[:m])); err != nil {
			return err
		}
	}
	return nil
}

// A column is the chunks and rows to gather. Its validity is gathered already.
type column struct {
	typ      arrow.DataType
	chunks   []chunk
	sel      selection
	valid    []bitmap       // of the chunks
	validity *memory.Buffer // of the result; nil without nulls
	nulls    int            // in the result
}

// finish makes data of the column's validity and the given buffers.
func (g *gatherer) finish(col column, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	return g.data(col.typ, col.sel.len(), append([]*memory.Buffer{col.validity}, buffers...), children, col.nulls)
}

// ErrOffsets is returned when the result would pass the range of its 32-bit offsets or run ends and may not be split.
// It also matches arrow.ErrInvalid.
var ErrOffsets = fmt.Errorf("take: offsets would overflow: %w", arrow.ErrInvalid)

// ErrDictionary is returned when the dictionaries of the chunks have more entries in total than the index type numbers.
// It also matches arrow.ErrInvalid.
var ErrDictionary = fmt.Errorf("take: too many dictionary entries: %w", arrow.ErrInvalid)

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
