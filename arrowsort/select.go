package arrowsort

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// SelectKPerGroup returns the row numbers of the first k rows of each group of rows that tie in the group keys, or of
// all rows of a smaller group. The groups come in the order of the group keys, the rows of a group in that of the keys,
// ties in the order of the data; without keys all rows of a group tie. Take of the row numbers returns the rows.
//
// The first k rows of all are Sort or SortIndices with Options.Limit = k. A column that is a group key and a key counts
// as a group key.
//
// It fails with ErrNoKeys without group keys and with ErrOption when k is not positive; otherwise cancellation and
// errors are those of SortIndices.
func SelectKPerGroup(
	ctx context.Context, data Data, groups, keys []Key, k int, opts Options,
) (_ *array.Uint64, err error) {
	defer translated(&err)
	if len(groups) == 0 {
		return nil, fmt.Errorf("%w: the groups have none", ErrNoKeys)
	}
	if k <= 0 {
		return nil, fmt.Errorf("%w: k is %d; give the number of rows of each group, at least 1", ErrOption, k)
	}
	c, err := newCall(ctx, operation{"SelectKPerGroup", sortOptions}, data, slices.Concat(groups, keys), opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	leading, err := c.data.resolve(groups)
	if err != nil {
		return nil, err
	}
	sorted, err := c.sortedHeads(ctx, len(leading), k)
	if err != nil {
		return nil, err
	}
	defer sorted.Release(c.opts.Allocator)
	rows := arrow.Uint32Traits.CastFromBytes(sorted.RowNumbers)
	starts, err := c.groupStarts(ctx, rows, len(leading))
	if err != nil {
		return nil, err
	}
	defer starts.release()
	kept, err := newBitmap(len(rows), c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer kept.release()
	err = starts.each(ctx, c.opts.Threads, func(_, lo, hi int) { kept.setFirst(starts, lo, hi, k) })
	if err != nil {
		return nil, err
	}
	count, err := kept.index(ctx, c.opts.Threads)
	if err != nil {
		return nil, err
	}
	return newUint64(ctx, count, c.opts.Allocator, func(selected []uint64) error {
		return kept.list(ctx, c.opts.Threads, selected, rows)
	})
}

// sortedHeads returns the row numbers of the sorted order, of 4 bytes, the first k of each group at least.
func (c *call) sortedHeads(ctx context.Context, groups, k int) (*engine.Result, error) {
	if c.opts.Engine != cpu.New() {
		return c.sortedRows(ctx)
	}
	sorted, err := cpu.SortHeads(ctx, c.job(), groups, k, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	c.report(sorted)
	return sorted, nil
}

// setFirst sets the bits of the first k rows of each group among the rows lo..hi-1 of a tile.
func (m *bitmap) setFirst(starts *bitmap, lo, hi, k int) {
	clear(m.words[lo/64 : (hi+63)/64])
	set := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.words[i/64] |= 1 << (i % 64)
		}
	}
	starts.eachGroup(lo, hi, func(lo, hi, _ int) { set(lo, hi) },
		func(lo, hi, first, _, _ int) { set(lo, first+min(hi-first, k)) })
}

// PartitionNth returns the row numbers of the data, sorted up to a place: the first nth+1 of them are those of
// SortIndices, so ties keep their order; the others follow in any order.
//
// If nth is the number of rows, the order of all of them is undefined.
//
// It fails with ErrIndex when nth is negative or above the number of rows; otherwise keys, cancellation and errors are
// those of SortIndices. Arrow C++ calls it partition_nth_indices.
func PartitionNth(ctx context.Context, data Data, keys []Key, nth int, opts Options) (_ *array.Uint64, err error) {
	defer translated(&err)
	c, err := newCall(ctx, operation{"PartitionNth", sortOptions}, data, keys, opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	n := c.data.Rows
	if nth < 0 || nth > n {
		return nil, fmt.Errorf("%w: nth is %d, the data has %d rows", ErrIndex, nth, n)
	}
	if nth == n {
		return c.followedByRest(ctx, nil)
	}
	c.work.Job.RowNumbers = arrow.Uint64SizeBytes
	if nth < n/4 { // else a sort of all rows is faster
		c.work.Job.Limit = nth + 1
	}
	result, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	if result.Rows == n {
		sorted := adapter.RowNumbers(result, arrow.PrimitiveTypes.Uint64, c.opts.Allocator)
		defer sorted.Release()
		return array.NewUint64Data(sorted), nil
	}
	defer result.Release(c.opts.Allocator)
	return c.followedByRest(ctx, arrow.Uint64Traits.CastFromBytes(result.RowNumbers))
}

// followedByRest returns the given row numbers, and then those of all other rows.
func (c *call) followedByRest(ctx context.Context, rows []uint64) (*array.Uint64, error) {
	rest, err := newBitmap(c.data.Rows, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer rest.release()
	err = rest.each(ctx, c.opts.Threads, func(_, lo, hi int) {
		for i := lo / 64; i < (hi+63)/64; i++ {
			rest.words[i] = ^uint64(0)
		}
	})
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(rows, bitmapTileRows) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, row := range part {
			rest.words[row/64] &^= 1 << (row % 64)
		}
	}
	if _, err := rest.index(ctx, c.opts.Threads); err != nil {
		return nil, err
	}
	return newUint64(ctx, c.data.Rows, c.opts.Allocator, func(all []uint64) error {
		if err := rest.list(ctx, c.opts.Threads, all[len(rows):], nil); err != nil {
			return err
		}
		return workers.Each(ctx, (len(rows)+bitmapTileRows-1)/bitmapTileRows, c.opts.Threads, func(i int) error {
			copy(all[i*bitmapTileRows:], rows[i*bitmapTileRows:min((i+1)*bitmapTileRows, len(rows))])
			return nil
		})
	})
}
