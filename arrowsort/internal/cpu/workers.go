package cpu

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// workers runs the phases of one sort on a number of goroutines that live as long as a phase.
type workers struct {
	ctx       context.Context
	threads   int
	progress  func(done, total int)
	total     int
	done      atomic.Int64
	reporting sync.Mutex
}

func newWorkers(ctx context.Context, threads int) *workers {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &workers{ctx: ctx, threads: threads}
}

// run hands out items 0..items-1, one after another, to workers 0..threads-1. It returns when all of them have stopped,
// with the context's error once that is cancelled: items that have not begun are left out.
func (w *workers) run(items int, f func(worker, item int)) error {
	threads := min(w.threads, items)
	if threads <= 1 {
		for i := 0; i < items && w.ctx.Err() == nil; i++ {
			f(0, i)
		}
		return w.ctx.Err()
	}
	var next atomic.Int64
	work := func(worker int) {
		for w.ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= items {
				return
			}
			f(worker, i)
		}
	}
	var wg sync.WaitGroup
	for t := 1; t < threads; t++ {
		wg.Go(func() { work(t) })
	}
	work(0)
	wg.Wait()
	return w.ctx.Err()
}

// tiles runs f over rows 0..n-1 in tiles of the given number of rows.
func (w *workers) tiles(n, rows int, f func(worker, lo, hi int)) error {
	return w.run((n+rows-1)/rows, func(worker, item int) {
		f(worker, item*rows, min(n, (item+1)*rows))
	})
}

// stopped reports to the long loops of an item whether the context is cancelled.
func (w *workers) stopped() bool { return w.ctx.Err() != nil }

// advance reports work done, in rows, to whoever asked for progress.
func (w *workers) advance(rows int) {
	if w.progress == nil {
		return
	}
	w.done.Add(int64(rows))
	if w.reporting.TryLock() {
		w.progress(min(int(w.done.Load()), w.total), w.total)
		w.reporting.Unlock()
	}
}
