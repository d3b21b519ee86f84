package workers

import (
	"context"
	"sync"
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

// Spares keeps values that one worker at a time uses, for the next task. A sync.Pool would lose them to the garbage
// collector, and fresh memory is what reading and writing spend most of their time on.
type Spares[T any] struct {
	mu   sync.Mutex
	free []T
}

// Take returns a value of Give, or the zero value.
func (s *Spares[T]) Take() (value T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		value, s.free = s.free[last], s.free[:last]
	}
	return value
}

// Give returns a value.
func (s *Spares[T]) Give(value T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, value)
}

// Drain takes all values and calls f with each.
func (s *Spares[T]) Drain(f func(T)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.free {
		f(value)
	}
	s.free = nil
}

// A Reused type has values for use during a call, of undefined content. Unlike those of Spares they may be lost to the
// garbage collector: they are small, such as local variables that would come from Go's heap in each call, because they
// are passed to an interface.
type Reused[T any] struct{ unused sync.Pool }

// Get returns a value of undefined content.
func (s *Reused[T]) Get() *T {
	if v, ok := s.unused.Get().(*T); ok {
		return v
	}
	return new(T)
}

// Put lets another call have the value.
func (s *Reused[T]) Put(v *T) { s.unused.Put(v) }
