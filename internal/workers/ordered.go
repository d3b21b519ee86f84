package workers

import (
	"context"
	"sync/atomic"
)

// Ordered makes n items on the given number of goroutines, GOMAXPROCS for 0, and uses them in their order on the
// caller's. At most two items per worker are made and not yet used. It returns when all goroutines have ended: with the
// first error, or the context's.
func Ordered[T any](ctx context.Context, n, workers int, produce func(i int) (T, error), use func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := group{stop: cancel}
	items := make([]chan T, n)
	for i := range items {
		items[i] = make(chan T, 1)
	}
	// A worker takes a place before it takes a number, so that the next item to be used always has one.
	places := make(chan struct{}, 2*Count(workers))
	var next atomic.Int64
	work := func() error {
		for {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			item, err := produce(i)
			if err != nil {
				return err
			}
			items[i] <- item
		}
	}
	for range min(Count(workers), n) {
		g.Go(func() { g.run(work) })
	}
	g.run(func() error {
		for i := range items {
			select {
			case item := <-items[i]:
				if err := use(item); err != nil {
					return err
				}
				<-places
			case <-ctx.Done():
				return nil
			}
			if ctx.Err() != nil {
				return nil
			}
		}
		return nil
	})
	if err := g.wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
