package cpu

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// mergeCalls are merges of four runs, closed and open, and searches of the last run among the first rows: by one word
// and by two, with the least number of looks at the context.
func mergeCalls(n int) map[string]func(context.Context, engine.Allocator) error {
	keys := drawn(7, n, uniform)
	runs := Runs{}
	for i := range 4 {
		slices.Sort(keys[n*i/4 : n*(i+1)/4])
		runs.Ends = append(runs.Ends, n*(i+1)/4)
	}
	open := Runs{Ends: runs.Ends, Open: []bool{true, false, true, true}}
	job := engine.Job{Rows: n, Threads: 1, Keys: []keyencode.Key{{}}, Gather: []int{0, 1}, RowNumbers: 4}
	job.Columns = []keyencode.Column{
		uint64Column(keys), uint64Column(drawn(1, n, shapes["half"])), uint64Column(numbered(n, func(i int) uint64 {
			return uint64(i/1000) << 40 // in order
		})),
		uint64Column(drawn(1, n, shapes["constant"])),
	}
	words := job
	words.Keys = []keyencode.Key{{Column: 2}, {Column: 3}}
	merging := func(job engine.Job, runs Runs) func(context.Context, engine.Allocator) error {
		return func(ctx context.Context, mem engine.Allocator) error {
			result, _, err := Merge(ctx, &job, runs, mem)
			if err == nil {
				result.Release(mem)
			}
			return err
		}
	}
	searching := func(job engine.Job, rows int) func(context.Context, engine.Allocator) error {
		return func(ctx context.Context, mem engine.Allocator) error {
			result, err := Search(ctx, &job, rows, true, mem)
			if err == nil {
				result.Release(mem)
			}
			return err
		}
	}
	return map[string]func(context.Context, engine.Allocator) error{
		"merge": merging(job, runs), "merge of open runs": merging(job, open), "merge in order": merging(words, runs),
		"search of many": searching(job, n/4), "search of few": searching(words, n-20),
		"search by two words": searching(words, n/2),
	}
}

// TestMergeStopsWhereverItLooks cancels at many looks at the context: the call ends with the context's error, at once,
// and everything is given back.
func TestMergeStopsWhereverItLooks(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, call := range mergeCalls(150_000) {
		mem := newMeter(t)
		counting := &watchedContext{Context: t.Context()}
		require.NoError(t, call(counting, mem), name)
		require.Greater(t, counting.looks, 10, name)
		for stop := 1; stop <= counting.looks; stop += 1 + stop/3 {
			ctx := &watchedContext{Context: t.Context(), stopAt: stop}
			require.ErrorIs(t, call(ctx, mem), context.Canceled, "%s: cancelled at call %d of %d", name, stop,
				counting.looks)
			require.Zero(t, mem.CurrentAlloc(), "%s: cancelled at call %d: memory that is not free", name, stop)
			require.Less(t, ctx.looks-stop, 200, "%s: calls after it was cancelled at call %d of %d", name, stop,
				counting.looks)
		}
	}
	requireGoroutines(t, before)
}

// TestMergeLooksAtTheContext is TestLooksAtTheContext for merges and searches.
func TestMergeLooksAtTheContext(t *testing.T) {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	for name, call := range mergeCalls(2_000_000) {
		var longest, whole time.Duration
		for range 4 {
			began := workingTime()
			ctx := &watchedContext{Context: t.Context(), looked: began}
			require.NoError(t, call(ctx, &patient{newMeter(t), ctx}), name)
			require.NoError(t, ctx.Err())
			if longest, whole = ctx.longest, ctx.looked-began; longest <= max(50*time.Millisecond, whole/4) {
				break
			}
		}
		require.LessOrEqual(t, longest, max(50*time.Millisecond, whole/4), "%s: the longest time between calls of Err",
			name)
	}
}
