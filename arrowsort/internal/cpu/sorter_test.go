package cpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestThreadsAreClamped: a sort has the workers asked for, but at most one for each 32,768 rows.
func TestThreadsAreClamped(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for _, c := range []struct{ rows, asked, threads int }{
		{0, 8, 1}, {100, 8, 1}, {smallRows, 8, 1}, {2*smallRows - 1, 8, 1}, {2 * smallRows, 8, 2},
		{5 * smallRows, 8, 5}, {5 * smallRows, 3, 3}, {5 * smallRows, 1, 1}, {5 * smallRows, math.MaxInt, 5},
		{5 * smallRows, 0, min(5, all)}, {5 * smallRows, -1, min(5, all)}, {1000 * smallRows, 0, min(1000, all)},
	} {
		s, err := newSorter(t.Context(), &engine.Job{Rows: c.rows, Threads: c.asked}, newMeter(t))
		require.NoError(t, err)
		require.Equal(t, c.threads, s.pool.Threads, "%d rows, %d threads asked for", c.rows, c.asked)
	}
}

// TestManyThreads: a huge number of threads costs no memory.
func TestManyThreads(t *testing.T) {
	keys := drawn(1, 100_000, uniform)
	job := engine.Job{
		Rows: len(keys), Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, Gather: []int{0},
		Threads: 3,
	}
	_, few := mustSort(t, &job)
	job.Threads = math.MaxInt
	_, many := mustSort(t, &job)
	require.Equal(t, few, many, "temp memory with 3 threads and with any number of them")
}

// watched sorts a job whose progress is watched: it never falls, passes the total or comes twice at once,
// and ends there.
func watched(t *testing.T, job engine.Job, name string) {
	t.Helper()
	var busy atomic.Bool
	last, calls := 0, 0
	job.Progress = func(done, total int) {
		if busy.Swap(true) {
			t.Errorf("%s: progress comes from two goroutines at once", name)
		}
		if total != 4*job.Rows || done < last || done > total {
			t.Errorf("%s: progress is %d of %d after %d; %d rows", name, done, total, last, job.Rows)
		}
		last, calls = done, calls+1
		busy.Store(false)
	}
	mustSort(t, &job)
	require.Equal(t, 4*job.Rows, last, "%s: the last report", name)
	if job.Rows > smallRows {
		require.GreaterOrEqual(t, calls, 2, "%s: reports", name) // those that would come at once are left out
	}
}

// TestProgress watches the progress of jobs that take different ways.
func TestProgress(t *testing.T) {
	const n = 200_000
	texts := viewColumn(n, [][]byte{make([]byte, 40), append(make([]byte, 39), 'b')}, func(i int) int { return i % 2 })
	for _, limit := range []int{0, 100, n - 1} {
		for name, keys := range map[string][]uint64{
			"uniform": drawn(1, n, uniform), "sorted": drawn(1, n, shapes["sorted"]),
			"reversed": drawn(1, n, shapes["reversed"]), "constant": drawn(1, n, shapes["constant"]),
			"narrow": drawn(1, n, shapes["narrow"]),
		} {
			if !testrun.Share(1, name, limit) {
				continue
			}
			columns := []keyencode.Column{uint64Column(keys), texts}
			job := engine.Job{
				Rows: n, Columns: columns, Keys: []keyencode.Key{{}}, RowNumbers: 8, Limit: limit, Threads: 2,
			}
			watched(t, job, name+", row numbers")
			job.Gather = []int{0, 1}
			watched(t, job, name+", columns")
			job.Keys = []keyencode.Key{{Column: 1}, {Column: 0}}
			watched(t, job, name+", texts first")
		}
	}
	for _, rows := range []int{0, 1, 100, 5000} {
		keys := drawn(rand.Uint64(), rows, uniform)
		watched(
			t,
			engine.Job{
				Rows: rows, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 8,
			},
			"few rows",
		)
	}
}
