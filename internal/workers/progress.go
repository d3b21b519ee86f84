package workers

import (
	"sync"
	"sync/atomic"
)

// Progress returns a function that adds to the work done, up to total, and reports the sum to a callback, which may be
// nil: rising, from one goroutine at a time. No goroutine waits for the callback of another; the last sum is reported.
func Progress(report func(done, total int), total int) (add func(n int)) {
	if report == nil {
		return func(int) {}
	}
	var sum atomic.Int64
	var reporting sync.Mutex
	return func(n int) {
		sum.Add(int64(n))
		for reporting.TryLock() {
			reported := sum.Load()
			report(min(int(reported), total), total)
			reporting.Unlock()
			if reported == sum.Load() {
				return
			}
		}
	}
}
