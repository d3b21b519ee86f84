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

func sortData(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	switch d := data.(type) {
	case arrow.Record:
		return sorted(ctx, d, keys)
	case arrow.Table:
		return sorted(ctx, d, keys)
	case *arrow.Chunked:
		return sorted(ctx, d, keys)
	default:
		return sorted(ctx, d.(arrow.Array), keys)
	}
}

func isSorted(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	sorted, _, err := arrowsort.IsSorted(ctx, data, keys, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return compute.NewDatum(sorted), nil
}

func sorted[T arrowsort.Data](ctx context.Context, data T, keys []arrowsort.Key) (compute.Datum, error) {
	out, err := arrowsort.Sort(ctx, data, keys, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(out), nil
}

func arraySortIndices(ctx context.Context, options ArraySortOptions, datum compute.Datum) (compute.Datum, error) {
	if err := noColumns(datum); err != nil {
		return nil, fmt.Errorf("%w; use sort_indices", err)
	}
	key := SortKey{Order: options.Order, NullPlacement: options.NullPlacement}
	return sortIndices(ctx, SortOptions{SortKeys: []SortKey{key}}, datum)
}

func sortIndices(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	indices, err := indicesOf(ctx, options, datum, 0)
	if err != nil {
		return nil, err
	}
	return own(indices), nil
}

// indicesOf returns the first row numbers of the sorted order, limit of them or all for 0. The caller releases them.
func indicesOf(ctx context.Context, options SortOptions, datum compute.Datum, limit int) (*array.Uint64, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	opts := sortOptions(ctx)
	opts.Limit = limit
	return arrowsort.SortIndices(ctx, data, keys, opts)
}

func selectK(ctx context.Context, options SelectKOptions, datum compute.Datum) (compute.Datum, error) {
	limit, err := functions.SelectLimit(options.K, len(options.SortKeys), arrow.ErrInvalid)
	if err != nil {
		return nil, err
	}
	indices, err := indicesOf(ctx, SortOptions{SortKeys: options.SortKeys}, datum, limit)
	if err != nil {
		return nil, err
	}
	if options.K > 0 {
		return own(indices), nil
	}
	defer indices.Release()
	return own(array.NewSlice(indices, 0, 0)), nil
}

func rank(ctx context.Context, options RankOptions, datum compute.Datum) (compute.Datum, error) {
	sort := SortOptions{SortKeys: options.SortKeys, NullPlacement: options.NullPlacement}
	data, keys, err := input(sort, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	ranks, err := arrowsort.Rank(ctx, data, keys, options.TieBreaker, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(ranks), nil
}

func rankQuantile(ctx context.Context, options RankQuantileOptions, datum compute.Datum) (compute.Datum, error) {
	return quantiles(ctx, options, datum, functions.Quantile)
}

func rankNormal(ctx context.Context, options RankQuantileOptions, datum compute.Datum) (compute.Datum, error) {
	return quantiles(ctx, options, datum, functions.NormalQuantile)
}

// quantiles is a function of the quantile ranks: of the share of rows below a row, and half of those that tie with
// it.
func quantiles(
	ctx context.Context, options RankQuantileOptions, datum compute.Datum, f func(q float64) float64,
) (compute.Datum, error) {
	data, keys, err := input(SortOptions(options), datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	opts := sortOptions(ctx)
	ranks, err := arrowsort.RankAverage(ctx, data, keys, opts)
	if err != nil {
		return nil, err
	}
	if err := functions.Quantiles(ctx, ranks.Float64Values(), opts.Threads, f); err != nil {
		ranks.Release()
		return nil, err
	}
	return own(ranks), nil
}

// curveIndex returns the function of the places on a curve.
func curveIndex(c arrowsort.Curve) func(context.Context, SortOptions, compute.Datum) (compute.Datum, error) {
	return func(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
		data, keys, err := input(options, datum)
		if err != nil {
			return nil, err
		}
		defer data.Release()
		places, err := arrowsort.CurveIndex(ctx, data, keys, c, sortOptions(ctx))
		if err != nil {
			return nil, err
		}
		return own(places), nil
	}
}

func partitionNthIndices(ctx context.Context, options PartitionNthOptions, datum compute.Datum) (compute.Datum, error) {
	if err := noColumns(datum); err != nil {
		return nil, err
	}
	data, err := dataOf(datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	keys := []arrowsort.Key{{Nulls: options.NullPlacement}}
	rows, err := arrowsort.PartitionNth(ctx, data, keys, int(min(options.Pivot, math.MaxInt)), sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(rows), nil
}
