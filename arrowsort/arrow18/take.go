package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// Take returns the rows of the data that the row numbers name, in their order, with all columns: arrowsort.Take for
// data of v18. The row numbers are an array of any integer type, without nulls. The result is as that of Sort.
func Take[T Data](ctx context.Context, data T, rows arrow.Array, opts Options) (T, error) {
	return transform(data, func(in arrowsort.Data) (arrowsort.Data, error) {
		if rows == nil {
			return nil, fmt.Errorf("%w: the row numbers are nil", arrowsort.ErrOption)
		}
		numbers, err := open(rows)
		if err != nil {
			return nil, fmt.Errorf("the row numbers: %w", err)
		}
		defer numbers.core.Release()
		return arrowsort.Take(ctx, in, numbers.core.(v15.Array), opts.core())
	})
}
