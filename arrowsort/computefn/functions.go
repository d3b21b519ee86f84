package computefn

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

// A work is what a function does with data and the keys to sort it by, both borrowed.
type work[R any] func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (R, error)

// withKeys does the work on the data of a datum, by the keys that the options mean for it.
func withKeys[R any](ctx context.Context, options SortOptions, datum compute.Datum, do work[R]) (none R, err error) {
	data, err := dataOf(datum)
	if err != nil {
		return none, err
	}
	defer data.Release()
	keys, err := options.keysOf(data)
	if err != nil {
		return none, err
	}
	return do(ctx, data, keys, sortOptions(ctx))
}

func sortData(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	return own(withKeys(ctx, options, datum, arrowsort.Sort[arrowsort.Data]))
}

func isSorted(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	sorted, err := withKeys(ctx, options, datum,
		func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (bool, error) {
			sorted, _, err := arrowsort.IsSorted(ctx, data, keys, opts)
			return sorted, err
		})
	if err != nil {
		return nil, err
	}
	return compute.NewDatum(sorted), nil
}

func arraySortIndices(ctx context.Context, options ArraySortOptions, datum compute.Datum) (compute.Datum, error) {
	if err := noColumns(datum); err != nil {
		return nil, fmt.Errorf("%w; use sort_indices", err)
	}
	key := SortKey{Order: options.Order, NullPlacement: options.NullPlacement}
	return sortIndices(ctx, SortOptions{SortKeys: []SortKey{key}}, datum)
}

func sortIndices(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	return own(withKeys(ctx, options, datum, arrowsort.SortIndices))
}

func selectK(ctx context.Context, options SelectKOptions, datum compute.Datum) (compute.Datum, error) {
	limit, err := functions.SelectLimit(options.K, len(options.SortKeys), arrow.ErrInvalid)
	if err != nil {
		return nil, err
	}
	first := func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (
		*array.Uint64, error) {
		opts.Limit = limit
		return arrowsort.SortIndices(ctx, data, keys, opts)
	}
	rows, err := withKeys(ctx, SortOptions{SortKeys: options.SortKeys}, datum, first)
	if err != nil || options.K > 0 {
		return own(rows, err)
	}
	defer rows.Release()
	return own(array.NewSlice(rows, 0, 0), nil)
}

func rank(ctx context.Context, options RankOptions, datum compute.Datum) (compute.Datum, error) {
	sort := SortOptions{SortKeys: options.SortKeys, NullPlacement: options.NullPlacement}
	ranks := func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (
		*array.Uint64, error) {
		return arrowsort.Rank(ctx, data, keys, options.TieBreaker, opts)
	}
	return own(withKeys(ctx, sort, datum, ranks))
}

// quantiles returns a function of the quantile ranks: f of the share of rows below a row, and half of those that tie
// with it.
func quantiles(f func(q float64) float64) func(context.Context, RankQuantileOptions, compute.Datum) (compute.Datum,
	error) {
	ranks := func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (
		*array.Float64, error) {
		ranks, err := arrowsort.RankAverage(ctx, data, keys, opts)
		if err != nil {
			return nil, err
		}
		if err := functions.Quantiles(ctx, ranks.Float64Values(), opts.Threads, f); err != nil {
			ranks.Release()
			return nil, err
		}
		return ranks, nil
	}
	return func(ctx context.Context, options RankQuantileOptions, datum compute.Datum) (compute.Datum, error) {
		return own(withKeys(ctx, SortOptions(options), datum, ranks))
	}
}

// curveIndex returns the function of the places on a curve.
func curveIndex(c arrowsort.Curve) func(context.Context, SortOptions, compute.Datum) (compute.Datum, error) {
	places := func(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) (
		*array.Uint64, error) {
		return arrowsort.CurveIndex(ctx, data, keys, c, opts)
	}
	return func(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
		return own(withKeys(ctx, options, datum, places))
	}
}

func partitionNthIndices(ctx context.Context, options PartitionNthOptions, datum compute.Datum) (compute.Datum, error) {
	data, err := columnOfDatum(datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	keys := []arrowsort.Key{{Nulls: options.NullPlacement}}
	return own(arrowsort.PartitionNth(ctx, data, keys, int(min(options.Pivot, math.MaxInt)), sortOptions(ctx)))
}
