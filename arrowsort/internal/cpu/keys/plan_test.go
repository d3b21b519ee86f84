package keys

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestMeasure: a sample decides whether the rows are read for statistics.
func TestMeasure(t *testing.T) {
	const n = 200_000
	pool := workers.NewPool(t.Context(), 2, 0, nil)
	swapped := cputest.Drawn(1, n, cputest.Shapes["sorted"])
	for i := 0; i < n; i += 100 {
		swapped[i], swapped[n-1-i] = swapped[n-1-i], swapped[i]
	}
	for name, c := range map[string]struct {
		numbers  []uint64
		nearly   bool
		measured bool
		bits     int
	}{
		"narrow":           {cputest.Drawn(1, n, cputest.Shapes["narrow"]), true, true, 20},
		"in order":         {cputest.Drawn(1, n, cputest.Shapes["sorted"]), true, true, 17},
		"nearly sorted":    {swapped, true, false, 64},
		"no way for these": {swapped, false, true, 17},
	} {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{cputest.Uint64Column(c.numbers)}, Keys: []keyencode.Key{{}},
		}
		k := New(&job)
		require.NoError(t, k.Measure(pool, c.nearly))
		require.Equal(t, c.measured, k.Measured(), name)
		require.Equal(t, c.bits, k.Plan.WordBits(0), name)
		require.NoError(t, k.MeasureAll(pool))
		require.True(t, k.Measured())
		job.Plan = true // that is asked for has statistics
		k = New(&job)
		require.NoError(t, k.Measure(pool, c.nearly))
		require.True(t, k.Measured(), name)
	}
}

// TestSample: one row of each stratum, in their order; SampleOf puts the codes in order.
func TestSample(t *testing.T) {
	for _, n := range []int{1, 63, 64, 1000, 1 << 17} {
		rows := SampledRows(n)
		for i, row := range rows {
			lo, hi := Stratum(n, i, len(rows))
			require.True(t, lo <= int(row) && int(row) < hi, "row %d of %d", row, n)
		}
		k := measured(t, cputest.Drawn(1, n, cputest.Uniform))
		codes := k.SampleOf(k.Source(), n)
		require.True(t, slices.IsSorted(codes))
		require.ElementsMatch(t, k.Sample(), codes)
	}
}
