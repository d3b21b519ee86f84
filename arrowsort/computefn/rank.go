package computefn

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/quantile"
)

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
	return quantiles(ctx, options, datum, quantile.Itself)
}

func rankNormal(ctx context.Context, options RankQuantileOptions, datum compute.Datum) (compute.Datum, error) {
	return quantiles(ctx, options, datum, quantile.Normal)
}

// quantiles is a function of the quantile ranks: of the share of rows below a row, and half of those that tie with it.
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
	if err := quantile.FromRanks(ctx, ranks.Float64Values(), opts.Threads, f); err != nil {
		ranks.Release()
		return nil, err
	}
	return own(ranks), nil
}
