//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// openShared opens devices of the stand-in that share sorts of any number of rows.
func openShared(t testing.TB, devices int, use ...func(*tuning.Table)) *Engine {
	t.Helper()
	options := Options{ShareRows: 1}
	for i := range devices {
		options.Devices = append(options.Devices, i)
	}
	e, err := Open(options)
	require.NoError(t, err)
	for _, set := range use {
		set(&e.tuning)
	}
	return e
}

func openSharedForTest(t testing.TB, devices int, use ...func(*tuning.Table)) *Engine {
	e := openShared(t, devices, use...)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// withoutSmallSorts has few rows sorted as many are.
func withoutSmallSorts(t *tuning.Table) { t.SmallSortRows = 0 }

// TestEngineOfDevices holds sorts on 2 to 4 devices to the suite that every engine passes.
func TestEngineOfDevices(t *testing.T) {
	devices := devicesForTest(t, 4)
	for n := min(2, devices); n <= devices; n++ {
		if !testrun.Long() && n == 3 { // TestDevicesApart has as many
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := 60_000
			if !testrun.Long() {
				rows = 20_000
			}
			enginetest.TestEngineBelow(t, rows, func(t testing.TB) engine.Engine { return openSharedForTest(t, n) })
		})
	}
}

// TestRangesAreEqual divides keys of every distribution among devices: no range is longer or shorter than an equal one
// by more than the part that multigpu.ExactShare allows.
func TestRangesAreEqual(t *testing.T) {
	devices := devicesForTest(t, 4)
	e := openSharedForTest(t, devices)
	mode := 0
	for _, name := range slices.Sorted(maps.Keys(draws)) {
		for _, kind := range []keyencode.Kind{keyencode.Float32, keyencode.Int64} {
			const rows = 20_011
			k := numberKey{kind: kind, value: draws[name].by(rows, numberKey{kind: kind}.bytes(), 1),
				null: percent(mode%3*20, 7)}.in(mode)
			mode++
			job := &engine.Job{Rows: rows, Columns: []keyencode.Column{k.column(rows)}, RowNumbers: 4,
				Keys: []keyencode.Key{{Order: k.order, Nulls: k.nulls}}}
			s := <-e.turn
			team := multigpu.NewTeam(t.Context(), e.sharing(s, job), job, goMemory{}, e.options.ShareRows, &e.times)
			team.AllocateResult()
			require.NoError(t, team.Divide())
			require.NoError(t, team.Measure())
			require.NoError(t, team.Partition())
			total := 0
			for _, m := range team.Members {
				received := 0
				for _, in := range m.Inboxes {
					require.Equal(t, total+received, in.Lo)
					received += in.Received()
				}
				require.InDelta(t, rows/devices, received, float64(rows/devices/multigpu.ExactShare+1),
					"%s of kind %d, %d devices", name, kind, devices)
				total += received
			}
			require.Equal(t, rows, total)
			team.Helpers.Wait()
			team.End()
			e.turn <- s
		}
	}
}

// TestSharedStrips divides rows in several launches for each share, as only shares of more than 2^29 rows do otherwise.
func TestSharedStrips(t *testing.T) {
	devices := devicesForTest(t, 3)
	e := openSharedForTest(t, devices)
	e.tuning.SmallSortRows = 0
	mode := 0
	for _, e.tuning.StripRows = range []int{3072, kernels.BinningWideTile, 1 << 20} {
		for _, name := range []string{"uniform", "and of 8", "30 bits, outliers"} {
			rows := 50_000 + 77*mode
			k := numberKey{kind: keyencode.Int64, value: draws[name].by(rows, 8, uint64(mode)),
				null: percent(mode%2*20, 5)}.in(mode)
			mode++
			job := &engine.Job{Rows: rows, Columns: []keyencode.Column{k.column(rows)},
				Keys: []keyencode.Key{{Order: k.order, Nulls: k.nulls}}}
			enginetest.CheckOrder(t, e, job, "%s, strips of %d rows", name, e.tuning.StripRows)
		}
	}
}

// TestSeveralRangesOfADevice divides the rows of each device among more than one range, as only those of tables with
// more than 2^28 rows for each are otherwise.
func TestSeveralRangesOfADevice(t *testing.T) {
	devices := devicesForTest(t, 3)
	for _, rows := range []int{1, 900} { // many ranges, and two
		enginetest.TestEngineBelow(t, 3000, func(t testing.TB) engine.Engine {
			return openSharedForTest(t, devices, func(t *tuning.Table) { t.SmallSortRows, t.BucketRows = 0, rows })
		})
	}
}

// TestRangesOf holds ranges to what buckets take, one more or less by what a cut is not exact.
func TestRangesOf(t *testing.T) {
	require.Equal(t, 1, multigpu.RangesOf(0, 0, 1<<28))
	require.Equal(t, 1, multigpu.RangesOf(1<<27, 1<<22, 1<<28))
	require.Equal(t, 2, multigpu.RangesOf(1<<28, 1<<23, 1<<28))
	require.Equal(t, 3, multigpu.RangesOf(1<<29, 1<<24, 1<<28))
	require.Equal(t, 1<<32/(1<<28-1<<26)+1, multigpu.RangesOf(1<<32-1, 1<<26, 1<<28))
	require.Equal(t, multigpu.MaxRanges, multigpu.RangesOf(1<<40, 1, 1<<28))
}
