package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestPartition moves row numbers and codes to the bins, both ways and with and without bins that are kept: bins rise,
// rows keep their order within them, and values collected from their places are those of the rows.
func TestPartition(t *testing.T) {
	const n = 150_000
	pool := workers.NewPool(t.Context(), 2, 0, nil)
	for name, shape := range cputest.Shapes {
		numbers := cputest.Drawn(1, n, shape)
		k := keys.New(&engine.Job{
			Rows: n, Columns: []keyencode.Column{cputest.Uint64Column(numbers)}, Keys: []keyencode.Key{{}},
		})
		require.NoError(t, k.MeasureAll(pool))
		if k.Plan.Words() == 0 {
			continue // of rows that all tie
		}
		classifier := NewClassifier(k.SampleOf(k.Source(), n), n, k.Plan.Borders(), false)
		for _, way := range []struct{ keep, combine bool }{{false, false}, {true, false}, {true, true}} {
			name := fmt.Sprintf("%s, %+v", name, way)
			mem := arena.New(t.Context(), cputest.NewMeter(t))
			p := New(pool, mem, k.Source(), n, classifier)
			p.AlwaysCombines = way.combine
			require.NoError(t, p.Count(way.keep))
			next := p.NextPlaces()
			rows, err := payload.NewRowNumbers(4)
			require.NoError(t, err)
			codes := payload.NewCodes(k.Source())
			require.NoError(t, rows.Allocate(mem, n))
			require.NoError(t, codes.Allocate(mem, n))
			require.NoError(t, p.Scatter([]*payload.Mover{rows, codes}))
			requireBins(t, p, numbers, buffers.View[uint32](rows.Out), name)
			if way.keep {
				collected := make([]uint64, n)
				moved := buffers.View[uint64](codes.Out)
				require.NoError(t, p.Collect(collected, moved, make([]uint64, classifier.Bins), next, nil))
				want := make([]uint64, n)
				keys.EncodeAll(k.Source(), want, 0)
				cputest.RequireSame(t, want, collected, "%s: collected", name)
			}
			p.Release()
			mem.Release()
		}
	}
}

// requireBins checks the rows in the order of the bins.
func requireBins(t *testing.T, p *Partition, numbers []uint64, rows []uint32, name string) {
	t.Helper()
	before := uint64(0) // the greatest number of the bins before
	for bin := range p.Classifier.Bins {
		lo, hi := p.Bin(bin)
		require.True(t, slices.IsSorted(rows[lo:hi]), "%s: rows of bin %d keep their order", name, bin)
		greatest := before
		for _, row := range rows[lo:hi] {
			require.GreaterOrEqual(t, numbers[row], before, "%s: bin %d", name, bin)
			greatest = max(greatest, numbers[row])
		}
		before = greatest
	}
	require.EqualValues(t, len(rows), p.Starts[p.Classifier.Bins])
}

// TestPartitionOfCodes sorts by counting: each code is a bin.
func TestPartitionOfCodes(t *testing.T) {
	const n = 150_000
	pool, mem := workers.NewPool(t.Context(), 2, 0, nil), arena.New(t.Context(), cputest.NewMeter(t))
	defer mem.Release()
	numbers := cputest.Drawn(1, n, func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(1000) })
	k := keys.New(&engine.Job{
		Rows: n, Columns: []keyencode.Column{cputest.Uint64Column(numbers)}, Keys: []keyencode.Key{{}},
	})
	require.NoError(t, k.MeasureAll(pool))
	p, err := NewOfCodes(pool, mem, k.Source(), n, 1<<k.Plan.WordBits(0))
	require.NoError(t, err)
	require.NoError(t, p.Count(false))
	rows, err := payload.NewRowNumbers(4)
	require.NoError(t, err)
	require.NoError(t, rows.Allocate(mem, n))
	require.NoError(t, p.Scatter([]*payload.Mover{rows}))
	want := cputest.Stable(cputest.AllRows(n), func(a, b uint32) int { return int(numbers[a]) - int(numbers[b]) })
	cputest.RequireSame(t, want, buffers.View[uint32](rows.Out), "by counting")
}
