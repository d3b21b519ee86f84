package arrowsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// IsSorted reports whether the data is in the order of the keys, and if it is not, the first row that sorts before its
// predecessor; else row is -1. Options.Limit looks at the first rows only. Keys, order and errors are those of Sort.
func IsSorted(ctx context.Context, data Data, keys []Key, opts Options) (sorted bool, row int, err error) {
	c, err := newCall(ctx, data, keys, opts, true)
	if err != nil {
		return false, -1, translate(err)
	}
	defer c.work.Release()
	row, err = cpu.FirstUnsorted(ctx, &c.work.Job, c.opts.Allocator)
	if err != nil {
		return false, -1, translate(err)
	}
	return row < 0, row, nil
}

// Explain returns the plan of a sort without sorting: what each key comes down to in bits after one read of the keys.
// Keys and errors are those of Sort. The plan prints itself.
func Explain(ctx context.Context, data Data, keys []Key, opts Options) (*keyencode.Plan, error) {
	c, err := newCall(ctx, data, keys, opts, true)
	if err != nil {
		return nil, translate(err)
	}
	defer c.work.Release()
	plan, err := cpu.Explain(ctx, &c.work.Job, c.opts.Allocator)
	if err != nil {
		return nil, translate(err)
	}
	return plan.Detach(), nil
}
