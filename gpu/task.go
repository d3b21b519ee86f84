//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// A task is what one sort has the device do. It remembers the first error, also that of a cancelled context: after that its
// methods do nothing and return zeros, and whoever needs a result looks at err.
type task struct {
	*session
	ctx     context.Context
	workers *host.Workers
	err     error
	queued  int // bytes that the stream has to move since the last mark
	marked  int
}

func newTask(ctx context.Context, s *session, threads int) *task {
	return &task{session: s, ctx: ctx, workers: host.NewWorkers(ctx, threads)}
}

// fail notes an error, the first one only.
func (t *task) fail(err error) {
	if t.err == nil && err != nil {
		t.err = deviceError(err)
	}
}

// failed reports whether there is no point in going on.
func (t *task) failed() bool {
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	return t.err != nil
}

// deviceError makes an error of the driver one of this package; others stay as they are.
func deviceError(err error) error {
	var failure *driver.Error
	if errors.As(err, &failure) && !errors.Is(err, ErrDevice) && !errors.Is(err, engine.ErrMemory) {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	return err
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
	t.fail(t.params.flush(t.Context))
	if !t.failed() {
		t.fail(t.Launch(kernelNumbers[kernel], blocks, args...))
	}
}

// blocks is a number of blocks for kernels that take any: enough to fill the device, and no more than there is work for.
func (t *task) blocks(items int) int {
	const itemsOfThread, blocksOfProcessor = 4, 8
	perBlock := kernels.StreamThreads * itemsOfThread
	return max(1, min((items+perBlock-1)/perBlock, t.Multiprocessors*blocksOfProcessor))
}

// queueBytes is how much the stream has to move before the host waits for what came before: little enough for a
// cancelled context to end the sort soon, and enough for the device never to be idle.
const queueBytes = 4 << 30

// moves notes that what was put into the stream moves so many bytes, and waits when too much is under way.
func (t *task) moves(bytes int) {
	if t.queued += bytes; t.queued < queueBytes || t.failed() {
		return
	}
	t.queued = 0
	t.marked++
	mark := t.marks[t.marked%2]
	if t.marked > 2 {
		t.fail(t.WaitFor(mark)) // it is two marks old
	}
	t.fail(t.Record(mark))
}

// end makes the session ready for the next task.
func (t *task) end() {
	t.idle()
	t.staging.reset()
	t.params.reset()
	t.memory.putAll()
}

// wait hands on what was downloaded, waits for the stream and returns the first error.
func (t *task) wait() error {
	if !t.failed() {
		t.fail(t.staging.emptyAll())
		t.idle()
	}
	return t.err
}

// idle waits for the stream, also after an error: nothing reads or writes memory of the host any more.
func (t *task) idle() { t.fail(t.Wait()) }
