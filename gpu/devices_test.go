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

// TestEngineOfDevices holds sorts on up to 8 devices to the suite that every engine passes.
func TestEngineOfDevices(t *testing.T) {
	devices := devicesForTest(t, 8)
	for n := min(2, devices); n <= devices; n++ {
		if !testrun.Long() && n != 2 && n != 4 && n != devices { // TestDevicesApart has 3
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
	all := devicesForTest(t, 8)
	for devices := all; devices >= min(2, all); devices /= 2 {
		if devices < all && !testrun.Long() {
			break
		}
		e := openSharedForTest(t, devices)
		mode := 0
		for _, name := range slices.Sorted(maps.Keys(draws)) {
			for _, kind := range []keyencode.Kind{keyencode.Float32, keyencode.Int64} {
				const rows = 20_011
				job := drawnJob(name, kind, rows, mode)
				mode++
				divided(t, e, job, func(team *multigpu.Team) {
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
				})
			}
		}
	}
}

// TestUniformKeysArePartitionedOnce holds uniform keys on up to 8 devices to one pass of the partition: bins of 8 bits
// are short enough for the cuts.
func TestUniformKeysArePartitionedOnce(t *testing.T) {
	e := openSharedForTest(t, devicesForTest(t, 8))
	passes := launches(e)
	for _, kind := range []keyencode.Kind{keyencode.Float32, keyencode.Int64} {
		divided(t, e, drawnJob("uniform", kind, 300_000, 0), func(*multigpu.Team) {})
	}
	require.Equal(t, 2, passes["digit_binning_first_wide"])
	require.Zero(t, passes["digit_binning_middle_wide"])
}

// drawnJob sorts by a column of drawn numbers, in an order and with nulls by mode.
func drawnJob(name string, kind keyencode.Kind, rows, mode int) *engine.Job {
	k := numberKey{kind: kind, value: draws[name].by(rows, numberKey{kind: kind}.bytes(), 1),
		null: percent(mode%3*20, 7)}.in(mode)
	return &engine.Job{Rows: rows, Columns: []keyencode.Column{k.column(rows)}, RowNumbers: 4,
		Keys: []keyencode.Key{{Order: k.order, Nulls: k.nulls}}}
}

// divided divides the rows of a job among the devices of an engine, up to the ranges that each receives.
func divided(t *testing.T, e *Engine, job *engine.Job, check func(team *multigpu.Team)) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	team := multigpu.NewTeam(t.Context(), e.sharing(s, job), job, goMemory{}, e.options.ShareRows, &e.times)
	defer team.End()
	team.AllocateResult()
	defer team.Helpers.Wait()
	for _, stage := range []func() error{team.Divide, team.Measure, team.Partition} {
		require.NoError(t, stage())
	}
	check(team)
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
