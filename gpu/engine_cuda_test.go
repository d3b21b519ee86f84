//go:build cuda && linux && amd64

package gpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// TestThresholds: the list rises, has every field of the table, and bytes by the widths of columns.
func TestThresholds(t *testing.T) {
	table := tuning.Default()
	list := listThresholds(&table, 3, 132)
	require.True(t, slices.IsSortedFunc(list, func(a, b engine.Threshold) int { return a.Rows - b.Rows }))
	for _, want := range []engine.Threshold{
		{Name: "SmallSortRows", Rows: kernels.CooperativeRows}, {Name: "TextRows", Rows: 1 << 16},
		{Name: "DirectBytes of bits", Rows: 1 << 19},
		{Name: "DirectBytes of 8 bytes", Rows: 1 << 13}, {Name: "a batch for each thread of 4 bytes", Rows: 3 << 16},
		{Name: "a full grid", Rows: 132 << 13}, {Name: "all slots of 1 byte", Rows: 1 << 25},
	} {
		require.Contains(t, list, want)
	}
}
