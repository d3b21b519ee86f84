package cpu

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
)

// mustSort sorts with an allocator that is checked; the result is released with the test. temp is the most memory that
// was allocated in addition to it.
func mustSort(t testing.TB, job *engine.Job) (res *engine.Result, temp int) {
	t.Helper()
	mem := newMeter(t)
	res, err := New().Sort(t.Context(), job, mem)
	require.NoError(t, err)
	require.Equal(t, job.Out(), res.Rows)
	t.Cleanup(func() { res.Release(mem) })
	return res, mem.Most - mem.CurrentAlloc()
}

// newTestSorter is a sorter that has measured a job; what it holds is released with the test.
func newTestSorter(t testing.TB, job *engine.Job) *sorter {
	t.Helper()
	s, _ := newMeteredSorter(t, job)
	return s
}

// newMeteredSorter is newTestSorter that also returns its allocator.
func newMeteredSorter(t testing.TB, job *engine.Job) (*sorter, *meter) {
	t.Helper()
	mem := newMeter(t)
	s, err := newSorter(t.Context(), job, mem)
	require.NoError(t, err)
	t.Cleanup(s.mem.Release)
	require.NoError(t, s.keys.Measure(s.pool, false))
	return s, mem
}

// requireGoroutines waits a moment for goroutines that are about to end; there may not be more than before.
func requireGoroutines(t testing.TB, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	require.Failf(t, "goroutines outlive a call", "%d before, now:\n%s", before, stacks[:runtime.Stack(stacks, true)])
}

// Helpers that the packages below this one use, too.
type meter = cputest.Meter

var (
	newMeter     = cputest.NewMeter
	drawn        = cputest.Drawn
	uniform      = cputest.Uniform
	shapes       = cputest.Shapes
	stable       = cputest.Stable
	allRows      = cputest.AllRows
	uint64Column = cputest.Uint64Column
	viewColumn   = cputest.ViewColumn
)

func requireSame[T comparable](t testing.TB, want, got []T, format string, args ...any) {
	t.Helper()
	cputest.RequireSame(t, want, got, format, args...)
}

const (
	smallRows = keys.SmallRows
	blockRows = keys.BlockRows
	tileRows  = keys.TileRows
)
