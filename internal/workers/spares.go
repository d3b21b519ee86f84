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
