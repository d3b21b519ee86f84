package workers

import "sync"

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
