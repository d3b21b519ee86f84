package tablefile

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

func threads(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Each runs task(0) to task(n-1) on the given number of goroutines, GOMAXPROCS for 0, and returns when all of them have
// ended: with the first error, a contained panic, or the context's error. After an error no further task starts.
func Each(ctx context.Context, n, workers int, task func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := contain(func() error { return task(i) }); err != nil {
				cancel(err)
			}
		}
	}
	var wg sync.WaitGroup
	for range min(threads(workers), n) - 1 {
		wg.Go(work)
	}
	work() // on this goroutine, too
	wg.Wait()
	return context.Cause(ctx)
}
