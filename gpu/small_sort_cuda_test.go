//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestEngineWithoutSmallSorts runs the suite with few rows sorted as many are.
func TestEngineWithoutSmallSorts(t *testing.T) {
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine {
		return openForTest(t, func(t *tuning.Table) {
			t.SmallSortRows, t.KeysRows, t.RangesRows, t.LargeSampleRows = 0, 0, 0, 0
		})
	})
}

// TestGridDistributions sorts 8-byte keys of every distribution in a single launch. A cooperative one, which takes a
// device with more multiprocessors than the stand-in, splits the buckets of uneven keys by a sorted sample, or counts
// their digits where few vary. It leaves hardly any to other ways.
func TestGridDistributions(t *testing.T) {
	e, grid := openGrid(t)
	sizes := []int{min(grid, kernels.ClusterRows+1), grid/2 - 77, grid}
	if !testrun.Long() {
		sizes = sizes[:1]
	}
	s := <-e.turn
	launched := map[string]int{}
	s.OnLaunch = func(kernel string) { launched[kernel]++ }
	e.turn <- s
	sorts := 0
	for i, name := range slices.Sorted(maps.Keys(draws)) {
		for k, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Uint64, keyencode.Float64} {
			for _, rows := range sizes {
				key := numberKey{kind: kind, null: percent(30*(i%2), 7)}
				key.value = draws[name].by(rows, key.bytes(), uint64(i))
				checkNumbers(t, e, name, rows, key.in(i+k))
				sorts++
			}
		}
	}
	require.Equal(t, sorts, launched["cooperative"]+launched["cluster"])
	require.LessOrEqual(t, 10*launched["sample"], sorts, "sorts that a grid has declined")
}

// TestGridSharesNull: a null has the code of the greatest value, or of the least with nulls at the start, where a grid
// declines and counts digits; unless there is such a value.
func TestGridSharesNull(t *testing.T) {
	e, grid := openGrid(t)
	s := <-e.turn
	launched := map[string]int{}
	s.OnLaunch = func(kernel string) { launched[kernel]++ }
	e.turn <- s
	for _, kind := range []keyencode.Kind{keyencode.Int32, keyencode.Uint32, keyencode.Int64, keyencode.Uint64} {
		for mode := range 4 {
			for extreme := range 3 { // none, a value in a thousand, every other
				rows := min(grid, kernels.ClusterRows+3) - extreme
				key := numberKey{kind: kind, null: percent(30, uint64(mode))}
				key.value = func(row int) uint64 {
					x, top := mix(uint64(row)), uint64(1)<<(8*key.bytes()-1)
					if extreme > 0 && x%[]uint64{1, 1000, 2}[extreme] == 1 { // least and greatest, signed or not
						return []uint64{0, math.MaxUint64, top, top - 1}[x>>32%4]
					}
					return x%5 + 1
				}
				checkNumbers(t, e, fmt.Sprintf("extreme %d", extreme), rows, key.in(mode))
			}
		}
	}
	require.GreaterOrEqual(t, launched["cooperative"], 48)
	require.Greater(t, launched["digit_binning_first_short"], 4)
}

// openGrid opens an engine, and returns the most rows of a cooperative launch. The stand-in has no clusters, which come
// first and sort as many.
func openGrid(t *testing.T) (e *Engine, rows int) {
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8")
	e = openForTest(t)
	return e, e.Device().Multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems
}

// BenchmarkSmallSort sorts few rows of a column on the device, one sort after another.
func BenchmarkSmallSort(b *testing.B) {
	e := openForBenchmark(b)
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float64} {
		for _, rows := range []int{1000, 4000, 10_000, 1 << 16} {
			name := fmt.Sprintf("kind=%d/rows=%d", kind, rows)
			b.Run(name, func(b *testing.B) { benchmarkSmallSort(b, e, kind, rows) })
		}
	}
}

func benchmarkSmallSort(b *testing.B, e *Engine, kind keyencode.Kind, rows int) {
	job := randomJob(goMemory{}, kind, rows, 1)
	session := <-e.turn
	defer func() { e.turn <- session }()
	leave, err := session.Enter()
	require.NoError(b, err)
	defer leave()
	t := device.NewTask(b.Context(), session, 0)
	defer t.End()
	columns := keys.NewColumns(t, job, nil, nil)
	columns.Column(0)
	require.NoError(b, t.Wait())
	for b.Loop() {
		order, _ := argsort.Run(columns, func() {})
		require.NoError(b, t.Wait())
		t.Free(order)
		t.Arguments.Reset()
	}
}
