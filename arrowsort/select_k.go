package arrowsort

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// SelectKPerGroup returns the row numbers of the first k rows of each group of rows that tie in the group keys: of all
// rows of a group that has fewer. The groups come in the order of the group keys, the rows of a group in that of the
// keys, ties in the order of the data; without keys all rows of a group tie. Take of the row numbers returns the rows.
//
// The first k rows of all are Sort or SortIndices with Options.Limit = k. Here Options.Limit reads the first rows of
// the data only. A column that is a group key and a key counts as a group key.
//
// It fails with ErrNoKeys without group keys and with ErrOption when k is not positive; otherwise cancellation and
// errors are those of SortIndices.
func SelectKPerGroup(
	ctx context.Context, data Data, groups, keys []Key, k int, opts Options,
) (*array.Uint64, error) {
	rows, err := selectKPerGroup(ctx, data, groups, keys, k, opts)
	if err != nil {
		return nil, translate(err)
	}
	return rows, nil
}

func selectKPerGroup(ctx context.Context, data Data, groups, keys []Key, k int, opts Options) (*array.Uint64, error) {
	if len(groups) == 0 {
		return nil, fmt.Errorf("%w: the groups have none", ErrNoKeys)
	}
	if k <= 0 {
		return nil, fmt.Errorf("%w: k is %d; give the number of rows of each group, at least 1", ErrOption, k)
	}
	c, err := newCall(ctx, data, slices.Concat(groups, keys), opts, true)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	leading, err := c.data.resolve(groups)
	if err != nil {
		return nil, err
	}
	sorted, err := c.sortedRows(ctx)
	if err != nil {
		return nil, err
	}
	defer sorted.Release(c.opts.Allocator)
	rows := arrow.Uint32Traits.CastFromBytes(sorted.RowNumbers)
	starts, err := c.markSorted(ctx, rows, len(leading))
	if err != nil {
		return nil, err
	}
	defer starts.release()
	kept, err := newMarks(len(rows), c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer kept.release()
	err = starts.each(ctx, c.opts.Threads, func(_, lo, hi int) { kept.markFirst(starts, lo, hi, k) })
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

// markFirst marks the first k rows of each group among the rows lo..hi-1 of a tile.
func (m *marks) markFirst(starts *marks, lo, hi, k int) {
	clear(m.words[lo/64 : (hi+63)/64])
	starts.eachGroup(lo, hi, func(lo, hi, first, _, _ int) {
		for i := lo; i < hi && i-first < k; i++ {
			m.words[i/64] |= 1 << (i % 64)
		}
	})
}
