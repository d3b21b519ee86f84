package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// ordered looks at rows piece by piece, whether each sorts behind the one before. It remembers the last row.
type ordered struct {
	schema *arrow.Schema
	opts   *Options
	last   arrow.Table // nil before the first row
}

// add returns the first row of the next piece that sorts before the one above it; -1 when there is none.
func (o *ordered) add(ctx context.Context, piece arrow.Table) (row int64, err error) {
	parts, above := []arrow.Table{piece}, int64(0)
	if o.last != nil {
		parts, above = []arrow.Table{o.last, piece}, 1
	}
	all := concatenate(o.schema, parts)
	defer all.Release()
	sorted, first, err := arrowsort.IsSorted(ctx, all, o.opts.Keys, o.opts.sorting())
	if err != nil {
		return -1, err
	}
	if !sorted {
		return int64(first) - above, nil
	}
	if piece.NumRows() == 0 {
		return -1, nil
	}
	return -1, o.remember(ctx, piece)
}

// remember copies the last row of a piece, which would keep the piece in memory.
func (o *ordered) remember(ctx context.Context, piece arrow.Table) error {
	b := array.NewUint64Builder(o.opts.Allocator)
	defer b.Release()
	b.Append(uint64(piece.NumRows() - 1))
	number := b.NewArray()
	defer number.Release()
	last, err := arrowsort.Take(ctx, piece, number, o.opts.sorting())
	if err != nil {
		return fmt.Errorf("the last row of a piece: %w", err)
	}
	o.forget()
	o.last = last
	return nil
}

func (o *ordered) forget() {
	if o.last != nil {
		o.last.Release()
		o.last = nil
	}
}
