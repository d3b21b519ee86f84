package take

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
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

// column gathers the rows of sel from chunks of any type. The data belongs to the gatherer.
func (g *gatherer) column(typ arrow.DataType, chunks []chunk, sel selection) (*array.Data, error) {
	layout := arraydata.Storage(typ)
	for i, c := range chunks {
		if have := arraydata.Storage(c.data.DataType()).ID(); have != layout.ID() {
			return nil, fmt.Errorf("%w: chunk %d is stored as %s, the column as %s", arraydata.ErrMalformed, i, have,
				layout.ID())
		}
	}
	switch t := layout.(type) {
	case *arrow.NullType:
		return g.data(typ, sel.len(), []*memory.Buffer{nil}, nil, sel.len()), nil
	case *arrow.StructType:
		return g.structs(typ, t, chunks, sel)
	case *arrow.SparseUnionType:
		return g.sparse(typ, t, chunks, sel)
	case *arrow.DenseUnionType:
		return g.dense(typ, t, chunks, sel)
	case *arrow.RunEndEncodedType:
		return g.runs(typ, t, chunks, sel)
	}
	valid, nulls, validity, err := g.validity(chunks, sel)
	if err != nil {
		return nil, err
	}
	col := column{typ: typ, chunks: chunks, sel: sel, valid: valid, validity: validity, nulls: nulls}
	switch t := layout.(type) {
	case *arrow.BooleanType:
		return g.booleans(col)
	case *arrow.StringType, *arrow.BinaryType:
		return strings[int32](g, col)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return strings[int64](g, col)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return g.views(col)
	case *arrow.DictionaryType:
		return g.dictionary(col, t)
	case *arrow.MapType:
		return lists[int32](g, col, t.Elem(), false)
	case *arrow.ListType:
		return lists[int32](g, col, t.Elem(), false)
	case *arrow.LargeListType:
		return lists[int64](g, col, t.Elem(), false)
	case *arrow.ListViewType:
		return lists[int32](g, col, t.Elem(), true)
	case *arrow.LargeListViewType:
		return lists[int64](g, col, t.Elem(), true)
	case *arrow.FixedSizeListType:
		return g.fixedSizeLists(col, t)
	case arrow.FixedWidthDataType:
		return g.fixedWidth(col, t.Bytes())
	}
	return nil, fmt.Errorf("%w: take: rows of type %s", arrow.ErrNotImplemented, typ)
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

func (g *gatherer) fixedWidth(col column, width int) (*array.Data, error) {
	src, err := eachValues(col.chunks, width)
	if err != nil {
		return nil, err
	}
	values, err := g.fixed(src, width, col.sel)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, values), nil
}
