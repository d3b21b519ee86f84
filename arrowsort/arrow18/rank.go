package arrow18

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// Rank returns the rank of every row of the data in the order of the keys, from 1 on: arrowsort.Rank for data of v18.
// The caller releases the ranks.
func Rank(ctx context.Context, data Data, keys []arrowsort.Key, ties arrowsort.TieBreaker, opts Options) (
	*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.Rank(ctx, in, keys, ties, opts.core()))
	})
}

// RankAverage is Rank that gives ties the mean of the ranks that they would have without ties: arrowsort.RankAverage
// for data of v18.
func RankAverage(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Float64, error) {
	return with(data, func(in arrowsort.Data) (*array.Float64, error) {
		ranks, err := arrowsort.RankAverage(ctx, in, keys, opts.core())
		if err != nil {
			return nil, err
		}
		return own(ranks, arrow.PrimitiveTypes.Float64).(*array.Float64), nil
	})
}
