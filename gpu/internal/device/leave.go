//go:build cuda && linux && amd64

package device

import (
	"context"
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// A task whose result stays on the device runs in the stream of the caller, and need not wait for its kernels: Leave in
// place of End. Settle, before the next task, does what End does then.

// Leave ends the task without waiting for its kernels. After an error the caller calls End.
func (t *Task) Leave() error {
	// Not by Record of the task, which does nothing in a context that has just ended: the kernels are queued.
	if err := t.Stream.Record(t.last); err != nil {
		return err
	}
	t.isLeft = true
	t.Pool.PutAll() // the next task waits for the event
	return nil
}

// Settle waits for the work that the last task has left, and takes back the memory of results that were freed. It is
// called in Enter, before a task, whose kernels run in the given stream, nil for that of the session.
func (s *Session) Settle(kernels *driver.Stream) error {
	if err := s.settleLast(); err != nil {
		return err
	}
	if kernels != nil {
		s.Streams[0].Stream = kernels
	}
	s.returns.Lock()
	defer s.returns.Unlock()
	return s.takeReturned()
}

// settleLast waits for the work that the last task has left.
func (s *Session) settleLast() error {
	if !s.isLeft {
		return nil
	}
	if err := s.WaitFor(s.last); err != nil {
		return err
	}
	s.isLeft = false
	s.reset()
	return nil
}

// Capture calls work with a task whose kernels are queued in a stream that is captured into a CUDA graph. It queues
// nothing else there, and waits for nothing there: what runs later is not the session's. So it leaves the memory of
// results to the next task, whose kernels can wait for those that still read it.
func (s *Session) Capture(ctx context.Context, stream *driver.Stream, work func(t *Task)) error {
	if err := s.settleLast(); err != nil {
		return err
	}
	s.Streams[0].Stream = stream
	t := NewTask(ctx, s, 1)
	work(t)
	s.reset()
	t.Pool.PutAll()
	return t.Err
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

// returns are the results that outlive their tasks.
type returns struct {
	sync.Mutex
	closed bool
	out    map[driver.Ptr]driver.Event // not freed yet, with their events
	list   []Kept                      // freed by any goroutine since the last task
	later  []inStream                  // freed in streams that are captured into graphs, or that refused the event
	events []driver.Event              // that are free
}

// A Kept is a result on the device that outlives its task, until GiveBack, and the session.
type Kept struct {
	Memory driver.Ptr   // of the pool
	Ready  driver.Event // recorded after the kernels that write the memory
}

// inStream is a result with the handle of the stream after whose work it is freed.
type inStream struct {
	Kept
	stream uintptr
}

// Keep makes memory of the pool a result.
func (t *Task) Keep(p driver.Ptr) (k Kept) {
	if t.Failed() {
		return k
	}
	t.returns.Lock()
	defer t.returns.Unlock()
	ready, err := t.returns.event(t.Context)
	if err == nil {
		err = t.Stream.Record(ready)
	}
	if t.Fail(err); err != nil {
		return k
	}
	t.Pool.Keep(p)
	t.returns.out[p] = ready
	return Kept{p, ready}
}

// GiveBack frees a result after the work that is queued in a stream of the given handle. It may be called by any
// goroutine, also after Close.
func (s *Session) GiveBack(k Kept, stream uintptr) error {
	s.returns.Lock()
	defer s.returns.Unlock()
	if _, is := s.returns.out[k.Memory]; !is {
		return nil // it was freed with a context that has failed
	}
	delete(s.returns.out, k.Memory)
	if s.returns.closed {
		return s.Drop(k.Ready, func() error { return s.source.freeAfter(k.Memory, stream) })
	}
	return s.Do(func() error { return s.giveBack(inStream{k, stream}) })
}

// giveBack has the next task take the memory of a result. An event that is recorded in a stream while that is captured
// would belong to the graph, so takeReturned calls giveBack again then.
func (s *Session) giveBack(k inStream) error {
	r, stream := &s.returns, s.Of(k.stream)
	captured, err := stream.IsCapturing()
	if err == nil && !captured {
		err = stream.Record(k.Ready) // from now on the event is passed when the memory has been read
	}
	if err != nil || captured {
		r.later = append(r.later, k)
		return err
	}
	r.list = append(r.list, k.Kept)
	return nil
}

func (r *returns) event(c *driver.Context) (driver.Event, error) {
	if n := len(r.events); n > 0 {
		e := r.events[n-1]
		r.events = r.events[:n-1]
		return e, nil
	}
	return c.NewEvent()
}

// takeReturned makes the memory of freed results spare, for kernels and uploads after the work that reads it.
func (s *Session) takeReturned() error {
	r := &s.returns
	later := r.later
	r.later = nil
	for _, k := range later {
		_ = s.giveBack(k) // the memory of a stream that is gone is freed by Close
	}
	for ; len(r.list) > 0; r.list = r.list[1:] {
		back := r.list[0]
		for _, writes := range s.Streams[:2] {
			if err := writes.After(back.Ready); err != nil {
				return err
			}
		}
		s.Pool.Return(back.Memory)
		r.events = append(r.events, back.Ready)
	}
	return nil
}

// outlive takes the results that are not freed out of what Close frees. Others read them, also when a sort has failed.
func (s *Session) outlive() {
	s.returns.closed = true
	for p, ready := range s.returns.out {
		if s.Hold(p, ready) != nil {
			delete(s.returns.out, p)
			continue
		}
		s.Pool.Forget(p)
	}
}
