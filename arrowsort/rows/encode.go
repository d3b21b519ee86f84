package rows

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Encode returns the rows of the keys of a record, a table, an array or a chunked array, which must have the columns
// that the converter was made for. Columns that are no keys may be anything. The caller releases the rows.
//
// It fails with arrowsort.ErrColumn or ErrOption when a column is missing or has another type, with arrow.ErrInvalid
// when the buffers of an array contradict each other, with an error that matches engine.ErrMemory, or with the
// context's, as a rule within 50 ms of its end.
func (c *Converter) Encode(ctx context.Context, data arrowsort.Data, opts Options) (*Rows, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.input(data)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := newEncoder(ctx, &in, opts)
	defer e.release()
	if err := e.open(c.leaves); err != nil {
		return nil, err
	}
	return e.encode(e.sources, e.rows)
}

// AppendRow appends the bytes of one row to dst and returns the longer slice. The data and the errors are as those of
// Encode; a row that is not in the data is arrowsort.ErrIndex. Temporary memory comes from Go. For many rows use
// Encode: each call of AppendRow prepares all key columns.
func (c *Converter) AppendRow(dst []byte, data arrowsort.Data, row int) ([]byte, error) {
	in, err := c.input(data)
	if err != nil {
		return dst, err
	}
	if row < 0 || row >= in.Rows {
		return dst, fmt.Errorf("%w: row %d of %d", arrowsort.ErrIndex, row, in.Rows)
	}
	one, held, err := c.rowOf(&in, row)
	defer func() { adapter.ReleaseAll([][]arrow.Array{held}) }()
	if err != nil {
		return dst, err
	}
	e := newEncoder(context.Background(), &one, Options{Allocator: memory.NewGoAllocator(), Threads: 1})
	defer e.release()
	if err := e.open(c.leaves); err != nil {
		return dst, err
	}
	var t tile
	var width [1]int64
	t.measure(e.sources, width[:], 0)
	t.out = slices.Grow(dst, int(width[0]))[:len(dst)+int(width[0])]
	t.pos[0] = len(dst)
	t.put(e.sources, 0, 1)
	return t.out, nil
}

// An encoder is one encoding on its way.
type encoder struct {
	ctx     context.Context
	opts    Options
	rows    int
	job     adapter.JobBuilder
	sources []source
	tables  []*Rows // encoded entries of dictionaries
}

func newEncoder(ctx context.Context, in *adapter.Input, opts Options) *encoder {
	e := &encoder{ctx: ctx, opts: opts, rows: in.Rows}
	e.job.Start(ctx, in, adapter.Options{Allocator: opts.Allocator, Threads: opts.Threads})
	return e
}

func (e *encoder) release() {
	for _, t := range e.tables {
		t.Release()
	}
	e.job.Release()
}

// open makes the sources of the leaves.
func (e *encoder) open(leaves []leaf) error {
	e.sources = make([]source, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		values, err := e.job.Values(l.Leaf)
		if err == nil {
			e.sources[i], err = e.source(l, values)
		}
		if err != nil {
			return fmt.Errorf("key %s of type %s: %w", l.Name, l.Type, err)
		}
		if has := values.Rows(); has != e.rows {
			return fmt.Errorf("%w: key %s has %d rows, the data has %d", arrow.ErrInvalid, l.Name, has, e.rows)
		}
	}
	return nil
}

// encode makes n rows of the sources: their widths, which add up to offsets, then their bytes.
func (e *encoder) encode(sources []source, n int) (*Rows, error) {
	b := buffers{mem: e.opts.Allocator}
	offsetBytes, err := b.allocate(e.ctx, (n+1)*arrow.Int64SizeBytes)
	if err != nil {
		return nil, err
	}
	offsets := arrow.Int64Traits.CastFromBytes(offsetBytes.Bytes())
	ends := offsets[1:]
	scratch := make([]*tile, workers.Count(e.opts.Threads))
	err = e.tiles(scratch, n, func(t *tile, lo, n int) { t.measure(sources, ends[lo:lo+n], lo) })
	if err != nil {
		b.release()
		return nil, err
	}
	// A tile's ends are measured from its beginning: the tiles come one after the other.
	starts, total := tileStarts(ends)
	data, err := b.allocate(e.ctx, int(total))
	if err == nil {
		offsets[0] = 0
		err = e.tiles(scratch, n, func(t *tile, lo, n int) {
			t.out = data.Bytes()
			t.place(ends[lo:lo+n], starts[lo/tileRows])
			t.put(sources, lo, n)
		})
	}
	if err != nil {
		b.release()
		return nil, err
	}
	return owned(data, offsetBytes, offsets), nil
}

// tiles runs f on all tiles of n rows.
func (e *encoder) tiles(scratch []*tile, n int, f func(t *tile, lo, n int)) error {
	return eachTile(e.ctx, scratch, n, e.opts.Threads, func(t *tile, lo, n int) error {
		f(t, lo, n)
		return nil
	})
}

// tilesPerTask are the tiles that a worker does without asking for more: some 100 microseconds of work.
const tilesPerTask = 8

// eachTile runs f on all tiles of n rows, with scratch memory of the worker, which it makes.
func eachTile(
	ctx context.Context, scratch []*tile, n, threads int, f func(t *tile, lo, n int) error,
) error {
	const step = tilesPerTask * tileRows
	return workers.Run(ctx, (n+step-1)/step, threads, func(worker, i int) error {
		if scratch[worker] == nil {
			scratch[worker] = new(tile)
		}
		for lo := i * step; lo < min(n, (i+1)*step) && ctx.Err() == nil; lo += tileRows {
			if err := f(scratch[worker], lo, min(tileRows, n-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// tileStarts are the places where tiles begin whose rows end at the given places of their tile, and the end of all.
func tileStarts[O int32 | int64](ends []O) (starts []int64, total int64) {
	starts = make([]int64, 0, (len(ends)+tileRows-1)/tileRows)
	for lo := 0; lo < len(ends); lo += tileRows {
		starts = append(starts, total)
		total += int64(ends[min(lo+tileRows, len(ends))-1])
	}
	return starts, total
}
