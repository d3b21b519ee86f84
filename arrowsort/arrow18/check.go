package arrow18

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// IsSorted reports whether the data is in the order of the keys, and if it is not, the first row that sorts before its
// predecessor; else row is -1: arrowsort.IsSorted for data of v18.
func IsSorted(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (sorted bool, row int, err error) {
	row, err = with(data, func(in arrowsort.Data) (int, error) {
		_, row, err := arrowsort.IsSorted(ctx, in, keys, opts.core())
		return row, err
	})
	if err != nil {
		return false, -1, err
	}
	return row < 0, row, nil
}

// Explain returns the plan of a sort without sorting: arrowsort.Explain for data of v18.
func Explain(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*keyencode.Plan, error) {
	return with(data, func(in arrowsort.Data) (*keyencode.Plan, error) {
		return arrowsort.Explain(ctx, in, keys, opts.core())
	})
}
