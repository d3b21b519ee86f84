package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestBucketShapes compares shapes with the limits of kernels/abi.h.
func TestBucketShapes(t *testing.T) {
	known := map[string]bool{}
	for _, k := range kernels.All {
		known[k.Name] = true
	}
	for i, n := range []int{
		1, 2, 100, 5000, 1 << 16, 1 << 20, 1 << 22, 1 << 23, 1 << 24, 1<<27 + 5, defaults.BucketRows,
	} {
		s := shapeBuckets(&defaults, n, 4<<(i%2))
		require.GreaterOrEqual(t, s.bits, 1)
		require.LessOrEqual(t, s.bits, kernels.BucketBits)
		require.LessOrEqual(t, int(rowBitsOf(&defaults, n)), s.bits+kernels.BucketSortBinBits, "%d rows", n)
		require.LessOrEqual(t, n>>s.bits, kernels.BucketRangeRows, "%d rows", n)
		if s.first < s.bits {
			require.LessOrEqual(t, s.first, kernels.RadixBits)
			require.LessOrEqual(t, s.bits-s.first, kernels.RadixBits)
		} else {
			require.LessOrEqual(t, s.bits, kernels.OnlyPassBits)
		}
		require.GreaterOrEqual(t, ranges(n)*kernels.BucketRangeRows, n)
		require.GreaterOrEqual(t, s.tiles(n)*s.tile(), n)
		require.True(t, known[s.bucketSortKernel()])
		require.True(t, known[s.partitionKernel()])
		require.True(t, known[s.splitKernel()])
		s.floats = true
		require.True(t, known[s.partitionKernel()])
	}
}

// TestTolerated: long numbers are worth more large buckets, since digits take longer; short ones are worth none where
// rows are few.
func TestTolerated(t *testing.T) {
	require.EqualValues(t, 409, shapeBuckets(&defaults, 1<<24, 4).maxOversized())
	require.EqualValues(t, 128, shapeBuckets(&defaults, 1<<16, 4).maxOversized())
	require.Greater(t, shapeBuckets(&defaults, 1<<28, 8).maxOversized(), shapeBuckets(&defaults, 1<<28, 4).maxOversized())
}

// TestShapeKeys: several keys take two passes.
func TestShapeKeys(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << 22, 1<<22 + 1, 1 << 24, 1 << 28} {
		s, one := shapeKeys(&defaults, n), shapeBuckets(&defaults, n, 8)
		require.Less(t, s.first, s.bits, "%d rows", n)
		require.LessOrEqual(t, s.first, 8)
		require.LessOrEqual(t, s.bits-s.first, 8)
		require.GreaterOrEqual(t, s.bits, one.bits)
		require.Equal(t, []string{"key_scan_keys", "partition_first_keys", "bucket_sort_wide"},
			[]string{s.scanKernel(), s.partitionKernel(), s.bucketSortKernel()})
	}
}

// TestShapeFloats: a separate kernel partitions many floats of four bytes.
func TestShapeFloats(t *testing.T) {
	for _, c := range []struct {
		n, width int
		want     string
	}{{1 << 16, 4, "partition_only"}, {1 << 24, 4, "partition_first_floats"},
		{1 << 24, 8, "partition_first_wide"}} {
		s := shapeBuckets(&defaults, c.n, c.width)
		s.floats = true
		require.Equal(t, c.want, s.partitionKernel())
	}
}

// TestShapeEqualized: columns of 8 bytes with an equalized map have separate kernels, with one pass or two.
func TestShapeEqualized(t *testing.T) {
	for n, want := range map[int]string{1<<22 + 1: "partition_only_equalized", 1 << 24: "partition_first_equalized"} {
		s := shapeBuckets(&defaults, n, 8)
		s.equalized = true
		require.Equal(t, []string{"key_scan_equalized", want, "bucket_sort_wide"},
			[]string{s.scanKernel(), s.partitionKernel(), s.bucketSortKernel()})
	}
}
