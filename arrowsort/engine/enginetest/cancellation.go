package enginetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// soon is the time within which a cancelled call has to return in these tests. The contract says 50 ms; a slow machine
// gets a margin. A busy machine can delay any call once: a late return is tried again, and fails when it is late
// attempts times.
const (
	soon     = 250 * time.Millisecond
	attempts = 3
)

// testCancellation cancels before the call, at allocations, and at times spread over the call.
func testCancellation(t *testing.T, e suite) {
	job := busy(slices.Max(e.sizes(20_000, 50_000, 2_000_000)))
	goroutines := runtime.NumGoroutine()

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, small := range []*engine.Job{busy(100), busy(5000), job} {
		mem := newGuard()
		res, err := e.Sort(cancelled, small, mem)
		require.ErrorIs(t, err, context.Canceled, "%d rows, cancelled before", small.Rows)
		require.Nil(t, res)
		require.NoError(t, mem.check(), "%d rows, cancelled before", small.Rows)
	}
	expired, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	_, err := e.Sort(expired, job, newGuard())
	require.ErrorIs(t, err, context.DeadlineExceeded)

	started := time.Now()
	require.False(t, cancelAfter(t, e, job, time.Hour), "a call that nobody cancels fails")
	whole := time.Since(started)
	stopped := 0
	for step := range 12 {
		if cancelAfter(t, e, job, whole*time.Duration(step)/12) {
			stopped++
		}
	}
	require.Positive(t, stopped, "no call was cancelled in mid-run, of %v", whole)
	for _, call := range []int{1, 2, 3, 5, 8} {
		cancelAtAllocation(t, e, job, call)
	}
	requireGoroutines(t, goroutines)
}

// cancelAfter cancels a call after a delay and reports whether it was stopped, rather than finished before.
func cancelAfter(t *testing.T, e suite, job *engine.Job, delay time.Duration) (stopped bool) {
	t.Helper()
	for range attempts {
		took, stopped := timeToStop(t, e, job, delay)
		if !stopped || took < soon {
			return stopped
		}
		t.Logf("cancelled after %v: returned after %v", delay, took)
	}
	require.Failf(t, "a cancelled call returns late", "cancelled after %v, %d times over %v", delay, attempts, soon)
	return true
}

// timeToStop cancels a call after a delay and returns how long the call went on from there, unless it had finished
// before.
func timeToStop(t *testing.T, e suite, job *engine.Job, delay time.Duration) (took time.Duration, stopped bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at := make(chan time.Time, 1)
	timer := time.AfterFunc(delay, func() {
		at <- time.Now()
		cancel()
	})
	defer timer.Stop()
	mem := newGuard()
	mem.quick = true
	res, err := e.Sort(ctx, job, mem)
	returned := time.Now()
	if err == nil {
		res.Release(mem)
		require.NoError(t, mem.check())
		return 0, false
	}
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, mem.check(), "cancelled after %v", delay)
	return returned.Sub(<-at), true
}

// cancelAtAllocation cancels when the engine asks for memory: the earliest moment inside a call that a test can reach.
func cancelAtAllocation(t *testing.T, e suite, job *engine.Job, call int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mem := newGuard()
	mem.quick = true
	var at time.Time
	mem.onCall = func() {
		if mem.calls+1 == call {
			cancel()
			at = time.Now()
		}
	}
	res, err := e.Sort(ctx, job, mem)
	if err != nil {
		require.ErrorIs(t, err, context.Canceled, "cancelled at allocation %d", call)
		require.Less(t, time.Since(at), soon, "cancelled at allocation %d", call)
	} else {
		res.Release(mem)
	}
	require.NoError(t, mem.check(), "cancelled at allocation %d", call)
}

// requireGoroutines waits a moment for goroutines that are about to end; none may outlive the calls.
func requireGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	stacks = stacks[:runtime.Stack(stacks, true)]
	require.Failf(t, "goroutines outlive a call", "%d before, %d now\n%s", before, runtime.NumGoroutine(), stacks)
}

// testConcurrency sorts the same buffers from many goroutines and watches progress reports.
func testConcurrency(t *testing.T, e suite) {
	goroutines := runtime.NumGoroutine()
	jobs := []*engine.Job{busy(2000), busy(60_000), busy(0), busy(50)}
	errs := make([]error, 12)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = checkJob(t.Context(), e, jobs[i%len(jobs)]) })
	}
	group.Wait()
	for i, err := range errs {
		require.NoError(t, err, "goroutine %d, %d rows", i, jobs[i%len(jobs)].Rows)
	}
	for _, threads := range testrun.Sample(4, []int{1, 2, 3, 64}) {
		job := busy(min(100_000, 2*e.rows))
		job.Threads = threads
		watch := &progress{}
		job.Progress = watch.report
		mustCheck(t, e, job, "%d threads", threads)
		require.Empty(t, watch.fault, "%d threads", threads)
	}
	requireGoroutines(t, goroutines)
}

// progress watches the reports of a job.
type progress struct {
	busy  atomic.Bool
	fault string
}

func (p *progress) report(done, total int) {
	if !p.busy.CompareAndSwap(false, true) {
		panic("enginetest: progress was reported from two goroutines at once")
	}
	defer p.busy.Store(false)
	if done < 0 || done > total {
		p.fault = fmt.Sprintf("%d of %d is done", done, total)
	}
}
