//go:build cuda && linux && amd64

package gpu

import (
	"context"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
)

// A task is the device's work for one sort. Kernels, and copies that they wait for, use one stream; columns that are
// not needed until the rows are sorted are uploaded in a second one, and results downloaded in a third.
type task struct {
	*session
	stream.Copier
	up, down stream.Copier
	used     int        // of the session's events
	counters driver.Ptr // of ones in gathered bitmaps
	pressure []func() bool
}

func newTask(ctx context.Context, s *session, threads int) *task {
	workers := host.NewWorkers(ctx, threads)
	if int64(2*s.memory.Held) > s.Device.Memory {
		s.memory.Tight = true
	}
	through := func(i int) stream.Copier { return stream.Copier{Stream: s.streams[i], Ctx: ctx, Workers: workers} }
	return &task{session: s, Copier: through(0), up: through(1), down: through(2)}
}

// copy copies memory of the device.
func (t *task) copy(dst, src driver.Ptr, bytes int) {
	if bytes > 0 && !t.Failed() {
		t.Fail(t.Copy(dst, src, bytes))
	}
}

// end makes the session ready for the next task.
func (t *task) end() {
	t.idle()
	for _, s := range t.streams {
		s.Reset()
	}
	t.params.Reset()
	t.memory.PutAll()
}

// event returns an event for the exclusive use of the caller until the end of the task.
func (t *task) event() (e driver.Event) {
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

// idle waits for all streams, also after an error.
func (t *task) idle() {
	for _, m := range []*stream.Copier{&t.Copier, &t.up, &t.down} {
		m.Idle()
		t.Fail(m.Err)
	}
}
