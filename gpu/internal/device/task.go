//go:build cuda && linux && amd64

package device

import (
	"context"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
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

// Padding is the bytes that kernels may read after the end of a buffer.
const Padding = 64

// SortBytes is about the memory of a sort for each row, in addition to columns: records, row numbers, gathered values.
const SortBytes = 64

// Alloc returns memory of the device, of undefined content, until Free or the end of the task.
func (t *Task) Alloc(bytes int) driver.Ptr {
	if p := t.lent.take(bytes); p != 0 {
		return p
	}
	return t.obtain(bytes, func() (driver.Ptr, error) { return t.Pool.Get(bytes + Padding) })
}

// obtain calls get, which allocates the given bytes. If the device's memory is full, it frees what the task does not
// need and calls get again.
func (t *Task) obtain(bytes int, get func() (driver.Ptr, error)) driver.Ptr {
	if t.Failed() {
		return 0
	}
	p, err := get()
	for driver.IsFull(err) && t.trim() && !t.Failed() {
		p, err = get()
	}
	if driver.IsFull(err) {
		err = t.outOfMemory(bytes, err)
	}
	t.Fail(err)
	return p
}

// OnPressure has trim called when the device's memory is full: it frees optional memory, or returns false if it has
// none. Of several functions the newest is called first, and the others once it returns false.
func (t *Task) OnPressure(trim func() bool) { t.pressure = append(t.pressure, trim) }

func (t *Task) trim() bool {
	for _, trim := range slices.Backward(t.pressure) {
		if trim() {
			return true
		}
	}
	return false
}

// AllocAll allocates memory of all sizes, or none if the device's memory is full: for memory that is not required.
func (t *Task) AllocAll(sizes ...int) (all []driver.Ptr, ok bool) {
	for len(all) < len(sizes) && !t.Failed() {
		p, err := t.Pool.Get(sizes[len(all)] + Padding)
		if driver.IsFull(err) {
			break
		}
		if t.Fail(err); err == nil {
			all = append(all, p)
		}
	}
	if len(all) < len(sizes) {
		t.Free(all...)
		return nil, false
	}
	return all, true
}

// outOfMemory returns an error with the bytes that are needed and free.
func (t *Task) outOfMemory(bytes int, err error) error {
	free, _ := t.FreeMemory()
	return fmt.Errorf("%w: the sort needs at least %d bytes, of which it has %d: %s has %d, of which %d are free: %w",
		engine.ErrMemory, t.Pool.Used+bytes, t.Pool.Used, t.Name, t.Memory, free, err)
}

// Zeros allocates memory that is zero.
func (t *Task) Zeros(bytes int) driver.Ptr {
	p := t.Alloc(bytes)
	t.Clear(p, bytes)
	return p
}

// Clear makes memory zero.
func (t *Task) Clear(p driver.Ptr, bytes int) {
	if bytes > 0 && !t.Failed() {
		t.Fail(t.Zero(p, bytes))
	}
}

// Free frees memory. Kernels that the stream has queued may still use it.
func (t *Task) Free(ps ...driver.Ptr) {
	for _, p := range ps {
		if p != 0 && !t.lent.giveBack(p) {
			t.Pool.Put(p)
		}
	}
}
