package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// Take returns the rows of the data that the row numbers name, in their order, with all columns. A row may be named
// more than once, or not at all.
//
// The row numbers are an array of any integer type, without nulls. Options.Limit takes the first of them only. The
// result is as that of Sort, and so are ownership and cancellation.
//
// It fails with ErrIndex when a row number is null or out of range, or rows is no integer array; with ErrOffsets when a
// column of a record or an array would be too long; with ErrDictionary as Sort does; or with an error that matches
// engine.ErrMemory. In take of Arrow C++ a null row number makes a null row.
func Take[T Data](ctx context.Context, data T, rows arrow.Array, opts Options) (T, error) {
	taken, err := takeData(ctx, data, rows, opts)
	if err != nil {
		var none T
		return none, translate(err)
	}
	return as[T](taken)
}

func takeData(ctx context.Context, data Data, rows arrow.Array, opts Options) (Data, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	var d dataset
	if err := d.open(data); err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, fmt.Errorf("%w: the row numbers are nil", ErrOption)
	}
	var n dataset
	if err := n.open(rows); err != nil {
		return nil, fmt.Errorf("the row numbers: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	numbers, err := newRowNumbers(rows, opts.limited(n.Rows), d.Rows, opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer numbers.release()
	columns := make([][]arrow.Array, len(d.Columns))
	for i, c := range d.Columns {
		if columns[i], err = numbers.take(ctx, c, opts, d.splits()); err != nil {
			adapter.ReleaseAll(columns)
			return nil, fmt.Errorf("column %s: %w", d.Label(i), err)
		}
	}
	return d.assemble(columns, numbers.count), nil
}
