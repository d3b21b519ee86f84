package arrow18

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort/internal/quantile"
)

func arraySortIndices(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	switch data.(type) {
	case arrow.RecordBatch, arrow.Table:
		return nil, fmt.Errorf("%w: takes an array or chunked array; use arrowsort.sort_indices", arrow.ErrInvalid)
	}
	return sortIndices(ctx, options, data)
}

func sortIndices(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	rows, err := SortIndices(ctx, data, options.Keys, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return owned(rows), nil
}

func sortDatum(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	sorted, err := Sort(ctx, data, options.Keys, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return owned(sorted), nil
}

func isSorted(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	sorted, _, err := IsSorted(ctx, data, options.Keys, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return compute.NewDatum(sorted), nil
}

// selectK selects one row at least, since a limit of 0 is no limit, and so finds fault with the keys for every k.
func selectK(ctx context.Context, options SelectKOptions, data Data) (compute.Datum, error) {
	if options.K < 0 {
		return nil, fmt.Errorf("%w: requires a nonnegative k, got %d", arrow.ErrInvalid, options.K)
	}
	if len(options.Keys) == 0 {
		return nil, fmt.Errorf("%w: requires one or more sort keys", arrow.ErrInvalid)
	}
	opts := contextOptions(ctx)
	opts.Limit = int(min(max(options.K, 1), math.MaxInt))
	rows, err := SortIndices(ctx, data, options.Keys, opts)
	if err != nil {
		return nil, err
	}
	if options.K > 0 {
		return owned(rows), nil
	}
	defer rows.Release()
	return owned(array.NewSlice(rows, 0, 0)), nil
}

func rank(ctx context.Context, options RankOptions, data Data) (compute.Datum, error) {
	ranks, err := Rank(ctx, data, options.Keys, options.Ties, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return owned(ranks), nil
}

func rankQuantile(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	return quantiles(ctx, options, data, quantile.Itself)
}

func rankNormal(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	return quantiles(ctx, options, data, quantile.Normal)
}

// quantiles is a function of the quantiles of the rows.
func quantiles(ctx context.Context, options SortOptions, data Data, f func(q float64) float64) (compute.Datum, error) {
	opts := contextOptions(ctx)
	ranks, err := RankAverage(ctx, data, options.Keys, opts)
	if err != nil {
		return nil, err
	}
	if err := quantile.FromRanks(ctx, ranks.Float64Values(), opts.Threads, f); err != nil {
		ranks.Release()
		return nil, err
	}
	return owned(ranks), nil
}

func partitionNth(ctx context.Context, options PartitionNthOptions, data Data) (compute.Datum, error) {
	nth := int(min(options.Pivot, math.MaxInt))
	rows, err := PartitionNth(ctx, data, options.Keys, nth, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return owned(rows), nil
}
