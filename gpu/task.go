//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"runtime"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// A task is what one sort has the device do. Its kernels, and copies that they wait for, are in one stream; columns
// that are not needed before the rows are sorted come up in another, and results go down in a third.
type task struct {
	*session
	mover
	up, down mover
	threads  int
	used     int         // of the session's events
	giveBack func() bool // frees what the task can do without, and reports whether there was any
}

func newTask(ctx context.Context, s *session, threads int) *task {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	workers := host.NewWorkers(ctx, threads)
	if int64(2*s.memory.held) > s.Device.Memory {
		s.memory.tight = true
	}
	return &task{
		session: s, threads: threads, mover: newMover(ctx, s.Context, s.lanes[0], workers),
		up: newMover(ctx, s.Context, s.lanes[1], workers), down: newMover(ctx, s.Context, s.lanes[2], workers),
		giveBack: func() bool { return false },
	}
}

// copy copies memory of the device.
func (t *task) copy(dst, src driver.Ptr, bytes int) {
	if bytes > 0 && !t.failed() {
		t.fail(t.Copy(dst, src, bytes))
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

// blocks is a number of blocks for kernels that take any: enough to fill the device, and no more than there is work
// for.
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
		if err != nil {
			t.fail(err)
			return e
		}
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
