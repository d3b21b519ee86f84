package curve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Codes writes the place of each row of an input on a curve to codes, which has an element for each row. The keys are
// those of the grid. Temporary memory is 8 bytes per row and what cpu.Search takes for values whose layout differs from
// that of the borders.
func (g *Grid) Codes(ctx context.Context, c keyencode.Curve, in *adapter.Input, keys []keypath.Key, codes []uint64,
	opts Options) error {
	axes, err := Find(in, keys)
	if err != nil {
		return err
	}
	if len(axes) != len(g.Axes) {
		return fmt.Errorf("%w: %d keys on a grid of %d", errkind.ErrOption, len(axes), len(g.Axes))
	}
	clear(codes)
	for i, columns := range axes {
		a := &g.Axes[i]
		points := a.coordinates(g.Rows, i, len(axes))
		err := eachPlace(ctx, a.Borders, in, columns, opts, func(lo int, places []uint64) {
			for i, place := range places {
				codes[lo+i] |= points[place]
			}
		})
		if err != nil {
			return err
		}
	}
	return eachTile(ctx, len(codes), opts.Threads, func(lo, hi int) {
		c.Codes(codes[lo:hi], len(axes), Levels(len(axes)))
	})
}

// eachPlace passes the number of borders that each row of an input does not sort before to use, tile by tile from
// several goroutines. columns are those of the key in the input.
func eachPlace(ctx context.Context, borders []arrow.Array, in *adapter.Input, columns []keypath.Column, opts Options,
	use func(lo int, places []uint64)) error {
	n := 0
	if len(borders) > 0 {
		n = borders[0].Len()
	}
	if int64(n)+int64(in.Rows) > math.MaxUint32 {
		return fmt.Errorf("%w: %d; give fewer than 2^32 at once", errkind.ErrRows, in.Rows)
	}
	if in.Rows == 0 {
		return ctx.Err()
	}
	var w adapter.JobBuilder
	w.Start(ctx, inputOf(borders, n), adapter.Options{Allocator: opts.Allocator, Ranker: cpu.New(),
		Threads: opts.Threads})
	defer w.Release()
	w.Job.Rows = n + in.Rows
	for i, own := range columnsOf(columns) {
		if err := w.AddKeyOfBoth(own.Leaf, own.Order, own.Nulls, in, columns[i].Leaf); err != nil {
			return fmt.Errorf("key %s of type %s: %w", own.Name, columns[i].Type, err)
		}
	}
	result, err := cpu.Search(ctx, &w.Job, n, true, opts.Allocator)
	if unsorted := (*cpu.UnsortedError)(nil); errors.As(err, &unsorted) {
		return fmt.Errorf("%w: border %d of key %s sorts before the one above it", errkind.ErrUnsorted, unsorted.Row,
			columns[0].Name)
	}
	if err != nil {
		return err
	}
	defer result.Release(opts.Allocator)
	places := buffers.View[uint64](result.RowNumbers)
	return eachTile(ctx, len(places), opts.Threads, func(lo, hi int) { use(lo, places[lo:hi]) })
}

// eachTile runs f for rows lo..hi-1 of n.
func eachTile(ctx context.Context, n, threads int, f func(lo, hi int)) error {
	const tile = 1 << 14 // rows: some 100 microseconds of work
	return workers.Each(ctx, (n+tile-1)/tile, threads, func(i int) error {
		f(i*tile, min(n, (i+1)*tile))
		return nil
	})
}
