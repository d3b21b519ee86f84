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
	for i, n := range []int{
		1, 2, 100, 5000, 1 << 16, 1 << 20, kernels.SmallRows, kernels.SmallRows + 1, 1 << 24, 1<<27 + 5,
		thresholds.bucketRows,
	} {
		s := shapeBuckets(n, 4<<(i%2))
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
		if s.small {
			require.LessOrEqual(t, s.bits, kernels.SmallBucketBits)
		}
		require.GreaterOrEqual(t, s.windows(n)*s.step(n), n)
		require.LessOrEqual(t, s.step(n), s.window)
		require.Greater(t, 2*s.step(n), s.window)
		require.Equal(t, s.small || n > kernels.EvenWindowRows, s.step(n) == s.window)
		require.GreaterOrEqual(t, s.tiles(n)*s.tile(), n)
		require.True(t, known[s.finish()])
		require.True(t, known[s.partition()])
		require.True(t, known[s.setAside()])
		s.floats = true
		require.True(t, known[s.partition()])
	}
}

// TestTolerated: long numbers are worth more large buckets, since digits take longer; short ones are worth none where
// rows are few.
func TestTolerated(t *testing.T) {
	require.EqualValues(t, 409, shapeBuckets(1<<24, 4).tolerated())
	require.EqualValues(t, 128, shapeBuckets(1<<16, 4).tolerated())
	require.Greater(t, shapeBuckets(1<<28, 8).tolerated(), shapeBuckets(1<<28, 4).tolerated())
}

// TestShapeKeys: several keys take two passes, with the windows of many rows.
func TestShapeKeys(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << 22, 1<<22 + 1, 1 << 24, 1 << 28} {
		s, one := shapeKeys(n), shapeBuckets(n, 8)
		require.Less(t, s.first, s.bits, "%d rows", n)
		require.LessOrEqual(t, s.first, 8)
		require.LessOrEqual(t, s.bits-s.first, 8)
		require.GreaterOrEqual(t, s.bits, one.bits)
		require.Equal(t, kernels.FinishWindow, s.window)
		require.Equal(t, []string{"look_keys", "partition_first_keys", "finish_wide"},
			[]string{s.look(), s.partition(), s.finish()})
	}
}

// TestShapeFloats: many floats of four bytes are dealt by a kernel of their own.
func TestShapeFloats(t *testing.T) {
	for _, c := range []struct {
		n, width int
		want     string
	}{{1 << 16, 4, "partition_small"}, {1 << 20, 4, "partition_only"}, {1 << 24, 4, "partition_first_floats"},
		{1 << 24, 8, "partition_first_wide"}} {
		s := shapeBuckets(c.n, c.width)
		s.floats = true
		require.Equal(t, c.want, s.partition())
	}
}

// TestShapesStartEarly: the passes over many short numbers wait for the kernel before them.
func TestShapesStartEarly(t *testing.T) {
	require.True(t, shapeBuckets(kernels.SmallRows, 4).early())
	require.False(t, shapeBuckets(kernels.SmallRows+1, 4).early())
	require.True(t, shapeBuckets(1<<28, 8).early())
	require.True(t, shapeBuckets(1<<28, 8).finishesEarly(1<<28))
	require.True(t, shapeBuckets(kernels.EarlyFinishRows, 4).finishesEarly(kernels.EarlyFinishRows))
	narrow := shapeBuckets(1<<28, 8)
	narrow.exact = true
	require.Equal(t, []any{"finish", true, false},
		[]any{narrow.finish(), narrow.early(), narrow.finishesEarly(1 << 28)})
}
