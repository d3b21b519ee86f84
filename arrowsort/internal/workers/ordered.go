package tablefile

import (
	"context"
	"sync"
	"sync/atomic"
)

// inOrder makes n items on the given number of goroutines and uses them in their order on the caller's. At most two
// items per worker are made and not yet used. It returns when all goroutines have ended: with the first error, a
// contained panic, or the context's error.
func inOrder[T any](ctx context.Context, n, workers int, produce func(i int) (T, error), use func(T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	items := make([]chan T, n)
	for i := range items {
		items[i] = make(chan T, 1)
	}
	// A worker takes a place before it takes a number, so that the next item to be used always has one.
	places := make(chan struct{}, 2*workers)
	var next atomic.Int64
	work := func() {
		for {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			err := contain(func() error {
				item, err := produce(i)
				if err == nil {
					items[i] <- item
				}
				return err
			})
			if err != nil {
				cancel(err)
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(work)
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case item := <-items[i]:
			if ctx.Err() != nil {
				break
			}
			if err := use(item); err != nil {
				cancel(err)
			}
			<-places
		case <-ctx.Done():
		}
	}
	wg.Wait()
	return context.Cause(ctx)
}
