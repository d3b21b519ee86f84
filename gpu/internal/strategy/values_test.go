package strategy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestSortsValues: from the first number of rows that no single launch sorts; with nulls only where there is a scan.
func TestSortsValues(t *testing.T) {
	const grid = 132 * kernels.CooperativeThreads * kernels.CooperativeItems
	for _, c := range []struct {
		rows     int
		nullable bool
		device   Device
		want     bool
	}{
		{0, false, hopper, false}, {kernels.ClusterRows, false, hopper, false}, {grid, false, hopper, false},
		{grid + 1, false, hopper, true}, {grid + 1, true, hopper, true}, {1 << 28, true, hopper, true},
		{1<<28 + 1, false, hopper, true}, {1<<28 + 1, true, hopper, false},
		{1000, false, small, true}, {1000, true, small, false}, {0, false, small, false},
	} {
		require.Equal(t, c.want, c.device.SortsValues(&defaults, c.rows, c.nullable), "%d rows, nullable %t", c.rows,
			c.nullable)
	}
}

// TestKernelsOfValues: all kernels of keys only exist, those for columns of 8 bytes end in _wide.
func TestKernelsOfValues(t *testing.T) {
	for _, width := range []int{4, 8} {
		for _, rows := range []int{1 << 20, 1 << 26} {
			s := ShapeBuckets(&defaults, rows, width)
			s.Values = true
			require.Equal(t, width, s.RecordBytes())
			k := s.Kernels()
			for _, name := range []string{k.First, k.Second, k.Sort, k.SortLarge, k.Split, k.Merge} {
				require.Contains(t, KernelNumbers, name)
				require.Contains(t, name, "_values")
				require.Equal(t, width == 8, strings.HasSuffix(name, "_wide"), name)
			}
			require.Equal(t, "key_scan", k.Scan)
		}
		digits := Digits(8 * width)
		passes := PlanValuePasses(width, digits, []int{0, 2})
		require.Len(t, passes, 2)
		for i, use := range []int{0, 2} {
			require.Equal(t, use, passes[i].Digit)
			require.Equal(t, digits[use].Shift, passes[i].Shift)
			require.Contains(t, KernelNumbers, passes[i].Kernel)
			require.Equal(t, map[int]int{4: kernels.BinningValueTile, 8: kernels.BinningTile}[width], passes[i].Tile)
		}
	}
}
