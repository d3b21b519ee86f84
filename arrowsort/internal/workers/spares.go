package tablefile

import "sync"

// spares keeps things that one worker at a time uses, for the next task. A sync.Pool would lose them to the garbage
// collector, and fresh memory is what reading and writing spend most of their time on.
type spares[T any] struct {
	mu   sync.Mutex
	free []T
}

// take returns a thing that was given back, or the zero value.
func (s *spares[T]) take() (thing T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		thing, s.free = s.free[last], s.free[:last]
	}
	return thing
}

func (s *spares[T]) give(thing T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, thing)
}
