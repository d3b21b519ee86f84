// Package take gathers rows of a chunked column of any Arrow type by row number.
//
// The work is linear in the bytes of the result, spread over threads, and reads the chunks where they lie. Nested types
// are gathered from the outside in: a list turns the rows of the parent into spans of the child, and so on down to
// buffers of fixed width, which are copied row by row, span by span, or group by group.
package take

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// Rows are row numbers; each is below the column's length.
type Rows interface{ []uint32 | []uint64 }

// Take gathers rows of a chunked column: row i of the result is row rows[i] of the concatenated chunks.
//
// The result is one array, or several in order when Options.Split is set and 32-bit offsets (or the run ends of a
// run-end-encoded column) would not hold one. Dictionaries are shared with the chunks, or unified where the chunks have
// different ones; string and binary views go on referring to the chunks' buffers; everything else is copied.
// Neighbouring rows of a run-end-encoded column become one run where they come from one or are equal. The caller
// releases the arrays; chunks and rows are borrowed.
//
// Errors: ErrOffsets, ErrDictionary, engine.ErrMemory, arrow.ErrIndex for a row past the end, arrow.ErrInvalid for
// malformed chunks, and the context's error, as a rule within 50 ms after
// it is cancelled. With an error nothing stays allocated.
func Take[R Rows](
	ctx context.Context, typ arrow.DataType, chunks []arrow.Array, rows R, opts Options,
) ([]arrow.Array, error) {
	return takeWithin(ctx, typ, chunks, rows, opts, math.MaxInt32)
}

// takeWithin is Take with a limit for 32-bit offsets that tests can make small.
func takeWithin[R Rows](
	ctx context.Context, typ arrow.DataType, chunks []arrow.Array, rows R, opts Options, limit int64,
) (out []arrow.Array, err error) {
	defer arraydata.Guard(&err)
	c := &call{gatherer: newGatherer(ctx, opts, limit), typ: typ, split: opts.Split}
	if c.chunks, err = viewChunks(typ, chunks); err != nil {
		return nil, err
	}
	if narrow, ok := any(rows).([]uint32); ok {
		return takeRows(c, narrow)
	}
	return takeRows(c, any(rows).([]uint64))
}

// A call is one Take: the column and how to gather it.
type call struct {
	*gatherer
	typ    arrow.DataType
	chunks []chunk
	split  bool
}

func takeRows[U rowNumber](c *call, rows []U) ([]arrow.Array, error) {
	loc, err := newLocator(c.chunks, len(rows))
	if err != nil {
		return nil, err
	}
	if err := checkRows(c.gatherer, rows, loc.total()); err != nil {
		return nil, err
	}
	return takePieces(c, loc, rows)
}

// checkRows is the one check that every later loop relies on.
func checkRows[U rowNumber](g *gatherer, rows []U, total uint64) error {
	return g.tiles(len(rows), func(lo, hi int, _ []uint64) error {
		if top := slices.Max(rows[lo:hi]); uint64(top) >= total {
			return fmt.Errorf("%w: take: row %d of a column of %d rows", arrow.ErrIndex, top, total)
		}
		return nil
	})
}

// takePieces gathers all rows into one array; where offsets overflow, and it is allowed, it cuts the rows into the
// number of batches that the overflow asks for and tries again with each.
func takePieces[U rowNumber](c *call, loc *locator, rows []U) ([]arrow.Array, error) {
	arr, err := c.gather(c.typ, c.chunks, selectRows(loc, rows))
	var over *overflowError
	switch {
	case err == nil:
		return []arrow.Array{arr}, nil
	case !c.split || len(rows) < 2 || !errors.As(err, &over):
		return nil, err
	}
	pieces := int(min(max(2, over.need/over.limit+1), int64(len(rows))))
	var out []arrow.Array
	for p := range pieces {
		more, err := takePieces(c, loc, rows[p*len(rows)/pieces:(p+1)*len(rows)/pieces])
		if err != nil {
			arraydata.Release(out)
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// gather makes one array, and frees what else was allocated for it.
func (g *gatherer) gather(typ arrow.DataType, chunks []chunk, sel selection) (arr arrow.Array, err error) {
	defer arraydata.Guard(&err)
	defer g.release()
	data, err := g.column(typ, chunks, sel)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}

// Expand returns the value of each of n rows of run-end encoded data, from row first on, which is counted from the
// start of the runs. The result is one array, or several where 32-bit offsets would not hold one. Options and errors
// are those of Take.
func Expand(ctx context.Context, data arrow.ArrayData, first, n int, opts Options) (out []arrow.Array, err error) {
	defer arraydata.Guard(&err)
	g := newGatherer(ctx, opts, math.MaxInt32)
	defer g.release()
	layout := arraydata.Storage(data.DataType()).(*arrow.RunEndEncodedType)
	runs := []chunk{{data, first, n}}
	where, err := valuesOfRows(g, layout, runs)
	if err != nil {
		return nil, err
	}
	c := &call{
		gatherer: newGatherer(ctx, opts, math.MaxInt32), typ: layout.Encoded(), chunks: children(runs, 1), split: true,
	}
	return takeRows(c, where)
}

// valuesOfRows returns the number of the value of each row of a chunk of runs.
func valuesOfRows(g *gatherer, layout *arrow.RunEndEncodedType, runs []chunk) ([]uint64, error) {
	rows := wholeChunk{0, runs[0].length}
	switch layout.RunEnds().ID() {
	case arrow.INT16:
		return locateRuns[int16](g, runs, rows)
	case arrow.INT32:
		return locateRuns[int32](g, runs, rows)
	default:
		return locateRuns[int64](g, runs, rows)
	}
}

// ChildRows are the rows of a child that lists refer to, in the order of the lists. They need memory only where they do
// not follow one another.
type ChildRows struct {
	begin, end int // of the rows, while they follow one another
	Count      int
	rows       []uint64 // else
}

// Add adds the rows from begin on and before end.
func (r *ChildRows) Add(begin, end int) {
	switch {
	case begin == end:
		return
	case r.Count == 0:
		r.begin, r.end = begin, end
	case r.rows == nil && begin == r.end:
		r.end = end
	default:
		if r.rows == nil {
			r.extend(r.begin, r.end)
		}
		r.extend(begin, end)
	}
	r.Count += end - begin
}

func (r *ChildRows) extend(begin, end int) {
	for row := begin; row < end; row++ {
		r.rows = append(r.rows, uint64(row))
	}
}

// Of returns the rows of a child. The caller releases it.
func (r *ChildRows) Of(child arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if r.rows == nil {
		return array.NewSliceData(child, int64(r.begin), int64(r.end)), nil
	}
	whole := array.MakeFromData(child)
	defer whole.Release()
	opts := Options{Allocator: mem, Threads: 1}
	taken, err := Take(context.Background(), child.DataType(), []arrow.Array{whole}, r.rows, opts)
	if err != nil {
		return nil, err
	}
	defer taken[0].Release()
	taken[0].Data().Retain()
	return taken[0].Data(), nil
}
