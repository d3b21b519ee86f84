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
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// Rows are row numbers; each is below the column's length.
type Rows interface{ ~[]uint32 | ~[]uint64 }

// Options of Take; the zero value is right.
type Options struct {
	// Allocator gives the memory of the result and of temp storage, called from the calling goroutine only; nil:
	// memory.DefaultAllocator.
	Allocator memory.Allocator
	Threads   int  // the largest number of goroutines; 0: GOMAXPROCS
	Split     bool // return several arrays where one would pass the range of its offsets
}

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
	if r, ok := basic(rows).([]uint32); ok {
		return takeRows(c, r)
	}
	return takeRows(c, basic(rows).([]uint64))
}

// basic returns rows as a plain []uint32 or []uint64.
func basic[R Rows](rows R) any {
	v := reflect.ValueOf(rows)
	if v.Type().Elem().Kind() == reflect.Uint32 {
		return v.Convert(reflect.TypeFor[[]uint32]()).Interface()
	}
	return v.Convert(reflect.TypeFor[[]uint64]()).Interface()
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
			for _, a := range out {
				a.Release()
			}
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
