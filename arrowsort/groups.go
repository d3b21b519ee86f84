package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// Groups returns the borders of the groups of rows that tie in the keys, of data that is in the order of the keys: the
// first row of each group, rising, and the number of rows after the last. So group i is rows borders[i] up to, but
// without, borders[i+1], their difference is its size, and there is one border more than groups; that is 0 for data
// without rows. Rows tie as they do in Sort: null with null, NaN with NaN, -0.0 with +0.0. Take of the borders but the
// last gives one row of each group.
//
// The first of equal rows is a group's start in all shapes of data; row numbers run over all chunks. Options.Limit
// reads the first rows only. Temporary memory is 1/8 byte per row; the result, which the caller releases, has 8 bytes
// per border.
//
// It fails with ErrUnsorted when a row sorts before its predecessor; otherwise keys, cancellation and errors are those
// of Sort. partition of arrow-rs returns the same borders.
func Groups(ctx context.Context, data Data, keys []Key, opts Options) (*array.Uint64, error) {
	borders, err := groups(ctx, data, keys, opts)
	return borders, translate(err)
}

func groups(ctx context.Context, data Data, keys []Key, opts Options) (*array.Uint64, error) {
	c, err := newCall(ctx, data, keys, opts, true)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	starts, err := newMarks(c.data.Rows, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer starts.release()
	unsorted, err := cpu.MarkGroups(ctx, &c.work.Job, nil, starts.words, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	if unsorted >= 0 {
		return nil, fmt.Errorf("%w: row %d sorts before row %d; sort by the keys first",
			ErrUnsorted, unsorted, unsorted-1)
	}
	count, err := starts.index(ctx, c.opts.Threads)
	if err != nil {
		return nil, err
	}
	return newUint64(ctx, count+1, c.opts.Allocator, func(borders []uint64) error {
		borders[count] = uint64(starts.rows)
		return starts.list(ctx, c.opts.Threads, borders, nil)
	})
}

// newUint64 makes an array of n numbers that fill writes.
func newUint64(
	ctx context.Context, n int, mem memory.Allocator, fill func(values []uint64) error,
) (*array.Uint64, error) {
	data, err := newNumbers(ctx, n, arrow.PrimitiveTypes.Uint64, mem, fill)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.NewUint64Data(data), nil
}

// newNumbers makes array data of n numbers of 8 bytes whose bits fill writes.
func newNumbers(
	ctx context.Context, n int, typ arrow.DataType, mem memory.Allocator, fill func(values []uint64) error,
) (*array.Data, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	buf, err := engine.Allocate(mem, n*arrow.Uint64SizeBytes)
	if err != nil {
		return nil, err
	}
	if err := fill(arrow.Uint64Traits.CastFromBytes(buf)); err != nil {
		if buf != nil {
			mem.Free(buf)
		}
		return nil, err
	}
	return adapter.RowNumbers(&engine.Result{Rows: n, RowNumbers: buf}, typ, mem), nil
}
