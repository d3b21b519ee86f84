//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// A task is what one sort has the device do. Its kernels, and copies that they wait for, are in one stream; columns that are
// not needed before the rows are sorted come up in another, and results go down in a third.
type task struct {
	*session
	mover
	up, down mover
	threads  int
	used     int // of the session's events
}

func newTask(ctx context.Context, s *session, threads int) *task {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	workers := host.NewWorkers(ctx, threads)
	return &task{
		session: s, threads: threads, mover: newMover(ctx, s.Context, s.lanes[0], workers),
		up: newMover(ctx, s.Context, s.lanes[1], workers), down: newMover(ctx, s.Context, s.lanes[2], workers),
	}
}

// padding is what kernels may read behind the end of a buffer.
const padding = 64

// alloc returns memory of the device, of undefined content, until free or the end of the task.
func (t *task) alloc(bytes int) driver.Ptr {
	if t.failed() {
		return 0
	}
	p, err := t.memory.get(bytes + padding)
	if err != nil {
		t.fail(t.outOfMemory(bytes, err))
	}
	return p
}

// outOfMemory tells how much was needed and how much there is.
func (t *task) outOfMemory(bytes int, err error) error {
	var failure *driver.Error
	if !errors.As(err, &failure) || !failure.OutOfMemory() {
		return err
	}
	free, _ := t.FreeMemory()
	return fmt.Errorf("%w: %s has %d bytes, of which %d are free: the sort uses %d and needs %d more",
		engine.ErrMemory, t.Name, t.Memory, free, t.memory.used, bytes)
}

// zeros returns memory that is zero.
func (t *task) zeros(bytes int) driver.Ptr {
	p := t.alloc(bytes)
	if bytes > 0 && !t.failed() {
		t.fail(t.Zero(p, bytes))
	}
	return p
}

// free ends the use of memory, once the stream is through with what it was given.
func (t *task) free(ps ...driver.Ptr) {
	for _, p := range ps {
		if p != 0 {
			t.memory.put(p)
		}
	}
}

// put brings structures for kernels to the device.
func put[T abi](t *task, structures ...T) driver.Ptr {
	words := abiWords(structures)
	if p := t.params.put(words); p != 0 {
		return p
	}
	p := t.alloc(8 * len(words))
	t.upload(p, wordBytes(words))
	return p
}

// launch puts a kernel into the stream.
func (t *task) launch(kernel string, blocks int, args ...uint64) {
	if t.failed() {
		return
	}
	t.fail(t.params.flush(t.Stream))
	if !t.failed() {
		t.fail(t.Launch(kernelNumbers[kernel], blocks, args...))
	}
}

// launchEarly is launch for a kernel that waits by itself for those in front of it.
func (t *task) launchEarly(kernel string, blocks int, args ...uint64) {
	if t.failed() {
		return
	}
	t.fail(t.params.flush(t.Stream))
	if !t.failed() {
		t.fail(t.LaunchEarly(kernelNumbers[kernel], blocks, args...))
	}
}

// blocks is a number of blocks for kernels that take any: enough to fill the device, and no more than there is work for.
func (t *task) blocks(items int) int {
	const itemsOfThread, blocksOfProcessor = 4, 8
	perBlock := kernels.StreamThreads * itemsOfThread
	return max(1, min((items+perBlock-1)/perBlock, t.Multiprocessors*blocksOfProcessor))
}

// end makes the session ready for the next task.
func (t *task) end() {
	t.idle()
	for _, l := range t.lanes {
		l.staging.reset()
	}
	t.params.reset()
	t.memory.putAll()
}

// event returns an event that nothing else uses until the end of the task.
func (t *task) event() (e driver.Event) {
	if t.failed() {
		return e
	}
	if t.used == len(t.events) {
		e, err := t.NewEvent()
		t.fail(err)
		t.events = append(t.events, e)
	}
	t.used++
	return t.events[t.used-1]
}

// idle waits for all streams, also after an error.
func (t *task) idle() {
	for _, m := range []*mover{&t.mover, &t.up, &t.down} {
		m.idle()
		t.fail(m.err)
	}
}
