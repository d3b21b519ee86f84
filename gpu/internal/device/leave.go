//go:build cuda && linux && amd64

package device

import (
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// A task whose result stays on the device need not wait for its kernels: Leave in place of End. Settle, before the next
// task, does what End does then.

// Leave ends the task without waiting for its kernels.
func (t *Task) Leave() {
	t.Pool.PutAll() // the next task uses the memory in the same stream
	t.left = true
}

// Settle waits for the work that the last task has left, and takes back the memory of results that were freed. It is
// called in Enter, before a task.
func (s *Session) Settle() error {
	if s.left {
		if err := s.Streams[0].Wait(); err != nil {
			return err
		}
		s.left = false
		s.reset()
	}
	return s.returns.take(s)
}

// reset makes the session ready for the next task. Its streams are idle.
func (s *Session) reset() {
	for _, stream := range s.Streams {
		stream.Reset()
	}
	s.Arguments.Reset()
}

// lent is memory of the caller that serves an allocation of its size, so that the result is written where it is wanted.
type lent struct {
	memory driver.Ptr
	bytes  int
	taken  bool
}

// Lend lets memory of the caller, at a multiple of 16, serve one allocation at a time of exactly the given bytes.
func (t *Task) Lend(p driver.Ptr, bytes int) { t.lent = lent{memory: p, bytes: bytes} }

func (l *lent) take(bytes int) driver.Ptr {
	if l.memory == 0 || l.taken || bytes != l.bytes {
		return 0
	}
	l.taken = true
	return l.memory
}

func (l *lent) giveBack(p driver.Ptr) bool {
	if l.memory == 0 || p != l.memory {
		return false
	}
	l.taken = false
	return true
}

// returns are results that were freed, by any goroutine, since the last task.
type returns struct {
	sync.Mutex
	closed bool
	list   []returned
	events []driver.Event // that are free
}

type returned struct {
	memory driver.Ptr
	read   driver.Event // recorded after the work that reads the memory
}

// GiveBack frees memory that Pool.Keep has taken out, after the work that is queued in a stream of the given handle. It
// may be called by any goroutine, and does nothing after Close.
func (s *Session) GiveBack(p driver.Ptr, stream uintptr) error {
	s.returns.Lock()
	defer s.returns.Unlock()
	if s.returns.closed {
		return nil
	}
	return s.Do(func() error {
		read, err := s.returns.event(s.Context)
		if err == nil {
			err = s.Of(stream).Record(read)
		}
		if err == nil {
			s.returns.list = append(s.returns.list, returned{p, read})
		}
		return err
	})
}

func (r *returns) event(c *driver.Context) (driver.Event, error) {
	if n := len(r.events); n > 0 {
		e := r.events[n-1]
		r.events = r.events[:n-1]
		return e, nil
	}
	return c.NewEvent()
}

// take makes the memory spare, for work after that which reads it.
func (r *returns) take(s *Session) error {
	r.Lock()
	defer r.Unlock()
	for _, back := range r.list {
		if err := s.Streams[0].After(back.read); err != nil {
			return err
		}
		s.Pool.Return(back.memory)
		r.events = append(r.events, back.read)
	}
	r.list = r.list[:0]
	return nil
}

func (r *returns) close() {
	r.Lock()
	defer r.Unlock()
	r.closed, r.list = true, nil
}
