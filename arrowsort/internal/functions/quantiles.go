package functions

import (
	"context"
	"math"

	"github.com/arrowsort/arrowsort/internal/workers"
)

// Quantiles overwrites average ranks by f of their quantiles: of the share of rows below a row, and half of those that
// tie with it, itself included.
func Quantiles(ctx context.Context, ranks []float64, threads int, f func(q float64) float64) error {
	const step = 1 << 16
	n := float64(len(ranks))
	return workers.Each(ctx, (len(ranks)+step-1)/step, threads, func(i int) error {
		part := ranks[i*step : min((i+1)*step, len(ranks))]
		for k, rank := range part {
			part[k] = f((rank - 0.5) / n)
		}
		return nil
	})
}

// Quantile returns the quantile itself, for Quantiles.
func Quantile(q float64) float64 { return q }

// NormalQuantile returns the value that a normal variable of mean 0 and variance 1 is below with probability p, between
// 0 and 1: the inverse of the error function and, since it loses digits towards 0, Newton steps.
func NormalQuantile(p float64) float64 {
	if p > 0.5 {
		return -NormalQuantile(1 - p)
	}
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	steps := 1
	if p < 1e-8 {
		steps = 2
	}
	for range steps {
		below := math.Erfc(-x/math.Sqrt2) / 2
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		x -= (below - p) / density
	}
	return x
}
