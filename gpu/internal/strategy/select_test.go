package strategy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestShapeSelect: the capacity grows with k, and is at least k.
func TestShapeSelect(t *testing.T) {
	for _, n := range []int{defaults.SelectRows, defaults.SelectRows + 1, 1 << 24, 1 << 28, 1<<32 - 1} {
		last := selectShape{}
		for _, k := range []int{1, 2, 100, 10_000, n / 100, n / 10, n / selectShare} {
			s, ok := ShapeSelect(&defaults, n, k)
			require.True(t, ok, "%d of %d rows", k, n)
			require.Greater(t, s.Capacity, k)
			require.Less(t, s.Capacity, 1<<31, "as kernels/abi.h asks")
			require.GreaterOrEqual(t, s.Hits, last.Hits)
			require.GreaterOrEqual(t, s.Capacity, last.Capacity)
			require.Less(t, s.Hits, kernels.SelectSample)
			require.Greater(t, s.Hits, int(float64(kernels.SelectSample)*float64(k)/float64(n)),
				"no fewer than on average")
			last = s
		}
		_, ok := ShapeSelect(&defaults, n, n/selectShare+1)
		require.False(t, ok)
	}
	for _, n := range []int{0, 1, defaults.SelectRows - 1} {
		_, ok := ShapeSelect(&defaults, n, min(n, 1))
		require.False(t, ok, "%d rows are soon sorted", n)
	}
}
