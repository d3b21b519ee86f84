package computefn

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/internal/workers"
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
	return quantiles(ctx, options, datum, func(q float64) float64 { return q })
}

func rankNormal(ctx context.Context, options RankQuantileOptions, datum compute.Datum) (compute.Datum, error) {
	return quantiles(ctx, options, datum, normalQuantile)
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
	if err := toQuantiles(ctx, ranks, opts.Threads, f); err != nil {
		ranks.Release()
		return nil, err
	}
	return own(ranks), nil
}

// toQuantiles overwrites average ranks that nobody else has.
func toQuantiles(ctx context.Context, ranks *array.Float64, threads int, f func(q float64) float64) error {
	const step = 1 << 16
	values := ranks.Float64Values()
	n := float64(len(values))
	return workers.Each(ctx, (len(values)+step-1)/step, threads, func(i int) error {
		part := values[i*step : min((i+1)*step, len(values))]
		for k, rank := range part {
			part[k] = f((rank - 0.5) / n)
		}
		return nil
	})
}

// normalQuantile is the value that a normal variable of mean 0 and variance 1 is below with probability p, between 0
// and 1: the inverse of the error function and, since it loses digits towards 0, a Newton step.
func normalQuantile(p float64) float64 {
	if p > 0.5 {
		return -normalQuantile(1 - p)
	}
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	below := math.Erfc(-x/math.Sqrt2) / 2
	density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
	return x - (below-p)/density
}
