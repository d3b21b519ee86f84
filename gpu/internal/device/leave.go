//go:build cuda && linux && amd64

package device

import (
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// A task whose result stays on the device runs in the stream of the caller, and need not wait for its kernels: Leave in
// place of End. Settle, before the next task, does what End does then.

// Leave ends the task without waiting for its kernels.
func (t *Task) Leave() {
	last := t.Event()
	t.Record(last)
	t.Pool.PutAll() // the next task waits for the event
	t.left = last
}

// Settle waits for the work that the last task has left, and takes back the memory of results that were freed. It is
// called in Enter, before a task, whose kernels run in the given stream, nil for that of the session.
func (s *Session) Settle(kernels *driver.Stream) error {
	if s.left != (driver.Event{}) {
		if err := s.WaitFor(s.left); err != nil {
			return err
		}
		s.left = driver.Event{}
		s.reset()
	}
	if kernels != nil {
		s.Streams[0].Stream = kernels
	}
	return s.returns.take(s)
}

// reset makes the session ready for the next task. All work is done.
func (s *Session) reset() {
	for _, stream := range s.Streams {
		stream.Reset()
	}
	s.Arguments.Reset()
	s.Streams[0].Stream = s.kernels
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
	list   []Kept
	events []driver.Event // that are free
}

// A Kept is a result on the device that outlives its task, until GiveBack.
type Kept struct {
	Memory driver.Ptr   // of the pool
	Ready  driver.Event // recorded after the kernels that write the memory
}

// Keep makes memory of the pool a result.
func (t *Task) Keep(p driver.Ptr) (k Kept) {
	if t.Failed() {
		return k
	}
	ready, err := t.returns.event(t.Context)
	t.Fail(err)
	t.Record(ready)
	if !t.Failed() {
		t.Pool.Keep(p)
	}
	return Kept{p, ready}
}

// GiveBack frees a result after the work that is queued in a stream of the given handle. It may be called by any
// goroutine, and does nothing after Close.
func (s *Session) GiveBack(k Kept, stream uintptr) error {
	s.returns.Lock()
	defer s.returns.Unlock()
	if s.returns.closed {
		return nil
	}
	return s.Do(func() error {
		err := s.Of(stream).Record(k.Ready) // from now on the event is passed when the memory has been read
		if err == nil {
			s.returns.list = append(s.returns.list, k)
		}
		return err
	})
}

func (r *returns) event(c *driver.Context) (driver.Event, error) {
	r.Lock()
	defer r.Unlock()
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
		if err := s.Streams[0].After(back.Ready); err != nil {
			return err
		}
		s.Pool.Return(back.Memory)
		r.events = append(r.events, back.Ready)
	}
	r.list = r.list[:0]
	return nil
}

func (r *returns) close() {
	r.Lock()
	defer r.Unlock()
	r.closed, r.list = true, nil
}
