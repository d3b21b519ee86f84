package functions

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuantiles(t *testing.T) {
	ranks := []float64{1, 2.5, 2.5, 4}
	require.NoError(t, Quantiles(t.Context(), ranks, 2, Quantile))
	require.Equal(t, []float64{0.125, 0.5, 0.5, 0.875}, ranks)
	require.NoError(t, Quantiles(t.Context(), nil, 0, NormalQuantile))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Quantiles(cancelled, ranks, 1, NormalQuantile), context.Canceled)
}

// The distribution function of what is returned is the probability, far out as well.
func TestNormalIsTheInverse(t *testing.T) {
	require.Zero(t, NormalQuantile(0.5))
	for _, p := range []float64{1e-13, 1e-11, 1e-9, 1e-8, 1e-6, 1e-5, 1e-3, 0.1, 0.3, 0.49} {
		require.InEpsilon(t, p, math.Erfc(-NormalQuantile(p)/math.Sqrt2)/2, 1e-12)
		require.InEpsilon(t, -NormalQuantile(p), NormalQuantile(1-p), 1e-3)
	}
}
