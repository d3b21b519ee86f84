package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestBucketShapes holds shapes to what kernels/abi.h says of them.
func TestBucketShapes(t *testing.T) {
	known := map[string]bool{}
	for _, k := range kernels.All {
		known[k.Name] = true
	}
	for _, n := range []int{1, 2, 100, 5000, 1 << 16, 1 << 20, kernels.SmallRows, kernels.SmallRows + 1, 1 << 24, 1<<27 + 5, bucketMaxRows} {
		s := shapeBuckets(n)
		binBits := kernels.FinishBinBits
		if s.small {
			binBits = kernels.SmallFinishBinBits
		}
		require.Equal(t, n <= kernels.SmallRows, s.small)
		require.GreaterOrEqual(t, s.bits, 1)
		require.LessOrEqual(t, s.bits, kernels.BucketBits)
		require.LessOrEqual(t, int(rowBitsOf(n)), s.bits+binBits, "%d rows", n)
		require.LessOrEqual(t, n>>s.bits, s.window, "%d rows", n)
		if s.first < s.bits {
			require.LessOrEqual(t, s.first, kernels.RadixBits)
			require.LessOrEqual(t, s.bits-s.first, kernels.RadixBits)
		} else {
			require.LessOrEqual(t, s.bits, kernels.OnlyPassBits)
		}
		require.GreaterOrEqual(t, s.windows(n)*s.window, n)
		for _, codeBits := range []int{17, 32, 33, 64} {
			require.True(t, known[s.finish(codeBits)])
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name     string
		verdict  abiVerdict
		n, bits  int
		accepted bool
	}{
		{"few rows", abiVerdict{largest: 100}, 5000, 64, true},
		{"uniform", abiVerdict{sampled: 1 << 14, ties: 3, largest: 4300}, 1 << 28, 32, true},
		{"one hot value", abiVerdict{sampled: 1 << 14, ties: 160, largest: 1 << 18}, 1 << 24, 64, false},
		{"a thousand values", abiVerdict{sampled: 1 << 14, ties: 15000, equal: 1}, 1 << 24, 32, false},
		{"a bucket too large", abiVerdict{sampled: 1 << 12, oversized: 1, largest: 5000}, 1 << 24, 64, false},
		{"some buckets too large, many rows", abiVerdict{sampled: 1 << 14, oversized: 100, largest: 5000}, 1 << 27, 32, true},
		{"counters that overflowed", abiVerdict{miscount: 1}, 1 << 24, 32, false},
	} {
		require.Equal(t, c.accepted, c.verdict.accepts(c.n, c.bits), c.name)
	}
}
