// Package workers runs tasks on several goroutines. No goroutine outlives the call that started it. A panic of a task
// continues on the goroutine of the caller.
package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// most is the number of workers of any call at most, unless there are more processors: each has temp storage.
const most = 256

// Count returns the number of workers for n: GOMAXPROCS for 0 and less, and never more than 256 or GOMAXPROCS,
// whichever is larger.
func Count(n int) int {
	processors := runtime.GOMAXPROCS(0)
	if n <= 0 {
		return processors
	}
	return min(n, max(most, processors))
}

// Run runs task(worker, 0) to task(worker, n-1) on the given number of goroutines, Count(workers), and returns when all
// of them have ended: with the first error, or that of ctx. After an error, or once ctx is done, no further task
// starts. A worker, numbered from 0, runs one task at a time, in rising order. One worker, or one task, stays on the
// caller's goroutine.
func Run(ctx context.Context, n, workers int, task func(worker, i int) error) error {
	workers = min(Count(workers), n)
	if workers <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			if err := task(0, i); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var stopped atomic.Bool
	g := group{stop: func() { stopped.Store(true) }}
	work := func(worker int) error {
		for !stopped.Load() && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := task(worker, i); err != nil {
				return err
			}
		}
		return nil
	}
	for worker := 1; worker < workers; worker++ {
		g.Go(func() { g.run(func() error { return work(worker) }) })
	}
	g.run(func() error { return work(0) })
	if err := g.wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// Each is Run for tasks without temp storage of a worker. It returns the cause of the context's end.
func Each(ctx context.Context, n, workers int, task func(i int) error) error {
	err := Run(ctx, n, workers, func(_, i int) error { return task(i) })
	if err != nil && err == ctx.Err() {
		return context.Cause(ctx)
	}
	return err
}

// A group is the goroutines of one call. Its first failure stops the others.
type group struct {
	sync.WaitGroup
	stop     func()
	err      atomic.Pointer[error]
	panicked atomic.Pointer[any]
}

// run runs f and keeps its failure for wait.
func (g *group) run(f func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked.CompareAndSwap(nil, &p)
			g.stop()
		}
	}()
	if err := f(); err != nil {
		g.err.CompareAndSwap(nil, &err)
		g.stop()
	}
}

// wait returns the first error when all goroutines have ended.
func (g *group) wait() error {
	g.Wait()
	if p := g.panicked.Load(); p != nil {
		panic(*p)
	}
	if err := g.err.Load(); err != nil {
		return *err
	}
	return nil
}

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
