package enginetest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

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
