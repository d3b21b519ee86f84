package workers

import (
	"context"
	"sync/atomic"
)

// Each runs task(0) to task(n-1) on the given number of goroutines, GOMAXPROCS for 0, and returns when all of them have
// ended: with the first error, or the context's. After an error no further task starts.
func Each(ctx context.Context, n, workers int, task func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := group{cancel: cancel}
	var next atomic.Int64
	work := func() error {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := task(i); err != nil {
				return err
			}
		}
		return nil
	}
	for range min(Count(workers), n) - 1 {
		g.Go(func() { g.run(work) })
	}
	g.run(work) // on this goroutine, too
	g.wait()
	return context.Cause(ctx)
}
