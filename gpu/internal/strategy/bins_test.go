package strategy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestBucketShapes compares shapes with the limits of kernels/abi.h.
func TestBucketShapes(t *testing.T) {
	for i, n := range []int{
		1, 2, 100, 5000, 1 << 16, 1 << 20, 1 << 22, 1 << 23, 1 << 24, 1<<27 + 5, defaults.BucketRows,
	} {
		s := ShapeBuckets(&defaults, n, 4<<(i%2))
		require.GreaterOrEqual(t, s.Bits, 1)
		require.LessOrEqual(t, s.Bits, kernels.BucketBits)
		require.LessOrEqual(t, int(RowBits(&defaults, n)), s.Bits+kernels.BucketSortBinBits, "%d rows", n)
		require.LessOrEqual(t, n>>s.Bits, kernels.BucketRangeRows, "%d rows", n)
		if s.First < s.Bits {
			require.LessOrEqual(t, s.First, kernels.RadixBits)
			require.LessOrEqual(t, s.Bits-s.First, kernels.RadixBits)
		} else {
			require.LessOrEqual(t, s.Bits, kernels.OnlyPassBits)
		}
		require.GreaterOrEqual(t, Ranges(n)*kernels.BucketRangeRows, n)
		require.GreaterOrEqual(t, s.Tiles(n)*s.Tile(), n)
		for _, s.Floats = range []bool{false, true} {
			k := s.Kernels()
			for _, name := range []string{k.Scan, k.First, k.Second, k.Sort, k.SortLarge, k.Split, k.Merge} {
				require.Contains(t, KernelNumbers, name)
			}
		}
	}
}

// TestTolerated: long numbers are worth more large buckets, since digits take longer; short ones are worth none where
// rows are few.
func TestTolerated(t *testing.T) {
	require.EqualValues(t, 409, ShapeBuckets(&defaults, 1<<24, 4).MaxOversized())
	require.EqualValues(t, 128, ShapeBuckets(&defaults, 1<<16, 4).MaxOversized())
	long, short := ShapeBuckets(&defaults, 1<<28, 8), ShapeBuckets(&defaults, 1<<28, 4)
	require.Greater(t, long.MaxOversized(), short.MaxOversized())
}

// TestShapeKeys: several keys take two passes.
func TestShapeKeys(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << 22, 1<<22 + 1, 1 << 24, 1 << 28} {
		s, one := ShapeKeys(&defaults, n), ShapeBuckets(&defaults, n, 8)
		require.Less(t, s.First, s.Bits, "%d rows", n)
		require.LessOrEqual(t, s.First, 8)
		require.LessOrEqual(t, s.Bits-s.First, 8)
		require.GreaterOrEqual(t, s.Bits, one.Bits)
		k := s.Kernels()
		require.Equal(t, []string{"key_scan_keys", "partition_first_keys", "bucket_sort_wide"},
			[]string{k.Scan, k.First, k.Sort})
	}
}

// TestShapeFloats: a separate kernel partitions many floats of four bytes.
func TestShapeFloats(t *testing.T) {
	for _, c := range []struct {
		n, width int
		want     string
	}{{1 << 16, 4, "partition_only"}, {1 << 24, 4, "partition_first_floats"},
		{1 << 24, 8, "partition_first_wide"}} {
		s := ShapeBuckets(&defaults, c.n, c.width)
		s.Floats = true
		require.Equal(t, c.want, s.Kernels().First)
	}
}

// TestShapeEqualized: columns of 8 bytes with an equalized map have separate kernels, with one pass or two.
func TestShapeEqualized(t *testing.T) {
	for n, want := range map[int]string{1<<22 + 1: "partition_only_equalized", 1 << 24: "partition_first_equalized"} {
		s := ShapeBuckets(&defaults, n, 8)
		s.Equalized = true
		k := s.Kernels()
		require.Equal(t, []string{"key_scan_equalized", want, "bucket_sort_wide"}, []string{k.Scan, k.First, k.Sort})
	}
}

// TestPages: pages have room for all rows of evenly spread columns, widened by the margins of the sampled range, and
// five standard deviations more; no block sorts more rows than it has room for.
func TestPages(t *testing.T) {
	for _, n := range []int{1 << 20, 1<<20 + 1, 3_000_000, 10_000_000, 1 << 24, 100_000_000, 1 << 28} {
		s := ShapeBuckets(&defaults, n, 8)
		page, average := s.Page(n), float64(n)/float64(int(1)<<s.Bits)*66/64
		require.Zero(t, page%32)
		require.GreaterOrEqual(t, float64(page), average+5*math.Sqrt(average), "%d rows", n)
		require.LessOrEqual(t, page, kernels.BucketRangeRows)
		require.LessOrEqual(t, s.PagedRecords(n), n*5/4+17*kernels.ExtensionRecords, "%d rows", n)
		require.Zero(t, s.Finer().Page(n), "rows that lie unevenly")
	}
	require.Zero(t, ShapeKeys(&defaults, 1<<20).Page(1<<20), "several buckets are sorted at a time")
}
