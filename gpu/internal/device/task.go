//go:build cuda && linux && amd64

package device

import (
	"context"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
)

// A Task is the device's work for one sort. Kernels, and copies that they wait for, use one stream; columns that are
// not needed until the rows are sorted are uploaded in a second one, and results downloaded in a third.
type Task struct {
	*Session
	stream.Copier
	Up, Down stream.Copier
	used     int // of the session's events
	pressure []func() bool
	lent     lent
}

// NewTask returns a task with the given number of threads of the host, 0 for GOMAXPROCS.
func NewTask(ctx context.Context, s *Session, threads int) *Task {
	workers := host.NewWorkers(ctx, threads)
	if int64(2*s.Pool.Held) > s.Device.Memory {
		s.Pool.Tight = true
	}
	through := func(i int) stream.Copier { return stream.Copier{Stream: s.Streams[i], Ctx: ctx, Workers: workers} }
	return &Task{Session: s, Copier: through(0), Up: through(1), Down: through(2)}
}

// Copy copies memory of the device.
func (t *Task) Copy(dst, src driver.Ptr, bytes int) {
	if bytes > 0 && !t.Failed() {
		t.Fail(t.Stream.Copy(dst, src, bytes))
	}
}

// End makes the session ready for the next task.
func (t *Task) End() {
	t.Idle()
	t.reset()
	t.Pool.PutAll()
}

// Event returns an event for the exclusive use of the caller until the end of the task.
func (t *Task) Event() (e driver.Event) {
	if t.Failed() {
		return e
	}
	if t.used == len(t.events) {
		e, err := t.NewEvent()
		if t.Fail(err); err != nil {
			return e
		}
		t.events = append(t.events, e)
	}
	t.used++
	return t.events[t.used-1]
}

// Idle waits for all streams, also after an error.
func (t *Task) Idle() {
	for _, m := range []*stream.Copier{&t.Copier, &t.Up, &t.Down} {
		m.Idle()
		t.Fail(m.Err)
	}
}
