package workers

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Pool runs the phases of one call on workers of the same number, and counts the steps that they have done.
type Pool struct {
	Ctx     context.Context
	Threads int             // workers of a phase, at most
	Total   int             // steps of all phases
	Advance func(steps int) // adds to the steps done
}

// NewPool returns a pool that reports steps done to a callback, which may be nil, as Progress does.
func NewPool(ctx context.Context, threads, total int, report func(done, total int)) *Pool {
	return &Pool{Ctx: ctx, Threads: threads, Total: total, Advance: Progress(report, total)}
}

// Run returns the function Run for tasks without errors.
func (p *Pool) Run(items int, f func(worker, item int)) error {
	return Run(p.Ctx, items, p.Threads, func(worker, item int) error {
		f(worker, item)
		return nil
	})
}

// Tiles runs f over rows 0..n-1 in tiles of the given number of rows; the last one may have fewer.
func (p *Pool) Tiles(n, rows int, f func(worker, lo, hi int)) error {
	return p.Run((n+rows-1)/rows, func(worker, item int) { f(worker, item*rows, min(n, (item+1)*rows)) })
}

// Stopped reports to the long loops of an item whether the context is cancelled.
func (p *Pool) Stopped() bool { return p.Ctx.Err() != nil }

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
