package workers

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRun: every task runs once, and a worker runs one task at a time: its temp storage is not shared.
func TestRun(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 6, 1000} {
			runs, busy := make([]atomic.Int32, n), make([]atomic.Bool, workers)
			var shared, unknown atomic.Int32
			require.NoError(t, Run(t.Context(), n, workers, func(worker, i int) error {
				if worker >= workers || worker >= n {
					unknown.Add(1)
					return nil
				}
				if busy[worker].Swap(true) {
					shared.Add(1)
				}
				runs[i].Add(1)
				runtime.Gosched()
				busy[worker].Store(false)
				return nil
			}))
			require.Zero(t, unknown.Load(), "%d workers, %d tasks: unknown workers", workers, n)
			require.Zero(t, shared.Load(), "%d workers, %d tasks: workers that ran two tasks at once", workers, n)
			for i := range runs {
				require.EqualValues(t, 1, runs[i].Load(), "%d workers: runs of task %d of %d", workers, i, n)
			}
		}
	}
}

func TestOneTaskStaysOnTheGoroutineOfTheCaller(t *testing.T) {
	before := runtime.NumGoroutine()
	require.NoError(t, Run(t.Context(), 1, 8, func(int, int) error {
		require.Equal(t, before, runtime.NumGoroutine())
		return nil
	}))
}

func TestRunStopsAtAnError(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 4} {
		var begun atomic.Int32
		require.ErrorIs(t, Run(t.Context(), 1000, workers, func(int, int) error {
			begun.Add(1)
			return broken
		}), broken)
		require.LessOrEqual(t, int(begun.Load()), workers)
	}
}

// TestRunStopsWhenCancelled: tasks that have begun end, others do not begin, and no goroutine stays.
func TestRunStopsWhenCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var begun, ended atomic.Int32
		err := Run(ctx, 1000, workers, func(_, i int) error {
			begun.Add(1)
			if i == 10 {
				cancel()
			}
			runtime.Gosched()
			ended.Add(1)
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, begun.Load(), ended.Load(), "%d workers: tasks that began and ended", workers)
		require.Less(t, int(begun.Load()), 1000, "%d workers: tasks that ran", workers)
		if workers == 1 {
			require.EqualValues(t, 11, begun.Load(), "tasks up to the one that cancelled")
		}
		require.ErrorIs(t, Run(ctx, 1, workers, func(int, int) error {
			t.Error("a task runs after the end")
			return nil
		}), context.Canceled)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, time.Second, time.Millisecond)
}

func TestEachReturnsTheCauseOfTheEnd(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	var ran atomic.Int64
	require.Equal(t, why, Each(ctx, 1000, 2, func(int) error {
		if ran.Add(1) == 10 {
			cancel(why)
		}
		return nil
	}))
	require.Less(t, ran.Load(), int64(1000))
}

// TestCount: any number is a number of workers that there is memory for.
func TestCount(t *testing.T) {
	processors := runtime.GOMAXPROCS(0)
	for n, want := range map[int]int{math.MinInt: processors, -1: processors, 0: processors, 1: 1, most: most,
		math.MaxInt32: max(most, processors), math.MaxInt: max(most, processors)} {
		require.Equal(t, want, Count(n), n)
	}
	require.NoError(t, Ordered(t.Context(), 3, math.MaxInt, func(i int) (int, error) { return i, nil },
		func(int) error { return nil }))
}

func TestPanicsOfTasksReachTheCaller(t *testing.T) {
	for _, workers := range []int{1, 3} {
		require.PanicsWithValue(t, "broken", func() {
			_ = Each(t.Context(), 10, workers, func(int) error { panic("broken") })
		})
		produce := func(int) (int, error) { panic("broken") }
		require.PanicsWithValue(t, "broken", func() {
			_ = Ordered(t.Context(), 50, workers, produce, func(int) error { return nil })
		})
		require.PanicsWithValue(t, "broken", func() {
			_ = Ordered(t.Context(), 50, workers, func(i int) (int, error) { return i, nil },
				func(int) error { panic("broken") })
		})
	}
}

// TestTiles: tiles cover all rows, and are full but for the last.
func TestTiles(t *testing.T) {
	for _, c := range []struct{ n, rows int }{{0, 10}, {1, 10}, {9, 10}, {10, 10}, {11, 10}, {999, 10}, {7, 1}} {
		seen := make([]atomic.Int32, c.n)
		require.NoError(t, NewPool(t.Context(), 3, 0, nil).Tiles(c.n, c.rows, func(_, lo, hi int) {
			if lo%c.rows == 0 && (hi-lo == c.rows || hi == c.n) {
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			}
		}))
		for i := range seen {
			require.EqualValues(t, 1, seen[i].Load(), "row %d of %d in tiles of %d", i, c.n, c.rows)
		}
	}
}

// TestPoolEnds: a pool adds to one progress, and runs nothing after its context has ended.
func TestPoolEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	p := NewPool(ctx, 3, 5, func(done, _ int) { last = done })
	p.Advance(2)
	p.Advance(2)
	require.Equal(t, 4, last)
	require.False(t, p.Stopped())
	cancel()
	require.True(t, p.Stopped())
	require.ErrorIs(t, p.Run(1, func(int, int) { t.Error("a task of a pool that has ended") }), context.Canceled)
}

// TestProgress: sums rise, come from one goroutine at a time, do not pass the total, and the last one is reported.
func TestProgress(t *testing.T) {
	const n = 10_000
	var busy atomic.Bool
	last := 0
	add := Progress(func(done, total int) {
		if busy.Swap(true) || total != n || done < last || done > total {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		runtime.Gosched()
		last = done
		busy.Store(false)
	}, n)
	require.NoError(t, Each(t.Context(), n, 4, func(int) error { add(1); return nil }))
	require.Equal(t, n, last)
	add(5)
	require.Equal(t, n, last)
	Progress(nil, n)(1)
}
