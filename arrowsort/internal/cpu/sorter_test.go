package cpu

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
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

// modes are the orders and placements of a key.
var modes = []keyencode.Key{
	{
		Order: keyencode.Ascending, Nulls: keyencode.NullsAtEnd,
	}, {Order: keyencode.Ascending, Nulls: keyencode.NullsAtStart},
	{
		Order: keyencode.Descending, Nulls: keyencode.NullsAtEnd,
	}, {Order: keyencode.Descending, Nulls: keyencode.NullsAtStart},
}

// TestValidityOfTheOnlyKey sorts a nullable key, whose validity is not moved: nulls are one run at the end or at the
// start, and a limit cuts it anywhere.
func TestValidityOfTheOnlyKey(t *testing.T) {
	for _, n := range []int{1, 9, 3000, 50_000} {
		for _, share := range []float64{0, 0.3, 1} {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			keys, valid := make([]uint64, n), make([]bool, n)
			nulls := 0
			for i := range keys {
				keys[i], valid[i] = r.Uint64N(1000), r.Float64() >= share
				if !valid[i] {
					nulls++
				}
			}
			c := uint64Column(append([]uint64{99, 99, 99}, keys...)) // garbage first
			c.Chunks[0] = keyencode.Chunk{
				Rows: n, Offset: 3, Values: c.Chunks[0].Values, Validity: cputest.Bitmap(r, 3, valid),
			}
			for _, mode := range modes {
				want := stable(allRows(n), func(a, b uint32) int {
					if valid[a] != valid[b] || !valid[a] {
						return cmp.Compare(place(valid[a], mode), place(valid[b], mode))
					}
					if mode.Order == keyencode.Descending {
						a, b = b, a
					}
					return cmp.Compare(keys[a], keys[b])
				})
				for _, limit := range []int{0, 1, n / 7, nulls - 1, nulls, nulls + 1, n - nulls, n - nulls + 1, n/2 + 3,
					n - 1} {
					if limit < 0 || n > 3000 && limit%2 == 1 { // half of them are enough
						continue
					}
					for _, width := range []int{0, 4} {
						job := engine.Job{
							Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{mode}, Gather: []int{0},
							RowNumbers: width, Limit: limit, Threads: 2,
						}
						res, _ := mustSort(t, &job)
						name := fmt.Sprintf(
							"%d rows, %d nulls, key %+v, limit %d, row numbers %d", n, nulls, mode, limit, width,
						)
						requireColumn(t, keys, valid, want[:res.Rows], &res.Columns[0], name)
						if width > 0 {
							requireSame(t, want[:res.Rows], buffers.View[uint32](res.RowNumbers), "%s", name)
						}
					}
				}
			}
		}
	}
}

// place is where a class goes: values at 1.
func place(valid bool, k keyencode.Key) int {
	switch {
	case valid:
		return 1
	case k.Nulls == keyencode.NullsAtStart:
		return 0
	}
	return 2
}

func requireColumn(t *testing.T, keys []uint64, valid []bool, rows []uint32, got *engine.Column, name string) {
	t.Helper()
	nulls := 0
	for i, row := range rows {
		if !valid[row] {
			nulls++
		}
		if got.Validity != nil && bitAt(got.Validity, i) != valid[row] ||
			valid[row] && buffers.View[uint64](got.Values)[i] != keys[row] {
			require.Failf(t, "wrong value", "%s: place %d, row %d", name, i, row)
		}
	}
	require.Equal(t, nulls, got.Nulls, name)
	require.Equal(t, nulls > 0, got.Validity != nil, name)
	if nulls > 0 {
		require.Len(t, got.Validity, (len(rows)+7)/8, name)
		for i := len(rows); i < 8*len(got.Validity); i++ {
			require.False(t, bitAt(got.Validity, i), "%s: padding bit %d", name, i)
		}
	}
}

// TestBitmapWithoutNulls: a bitmap that marks no row costs the result none.
func TestBitmapWithoutNulls(t *testing.T) {
	const n = 70_000
	keys := drawn(1, n, uniform)
	c := uint64Column(keys)
	c.Chunks[0].Validity = slices.Repeat([]byte{0xff}, n/8+1)
	plain := uint64Column(drawn(2, n, uniform))
	job := engine.Job{Rows: n, Columns: []keyencode.Column{plain, c}, Keys: []keyencode.Key{{}}, Gather: []int{1, 0}}
	res, temp := mustSort(t, &job)
	require.Nil(t, res.Columns[0].Validity)
	job.Columns = []keyencode.Column{plain, uint64Column(keys)}
	again, without := mustSort(t, &job)
	require.Equal(t, again.Columns, res.Columns)
	require.Equal(t, without, temp, "temp memory")
}

func bitAt(bitmap []byte, i int) bool { return bitmap[i/8]>>(i%8)&1 == 1 }
