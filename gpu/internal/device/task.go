//go:build cuda && linux && amd64

package device

import (
	"context"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

// A Task is the device's work for one sort. Kernels, and copies that they wait for, use one stream; columns that are
// not needed until the rows are sorted are uploaded in a second one, and results downloaded in a third.
type Task struct {
	*Session
	stream.Copier
	Up, Down stream.Copier
	used     int // of the session's events
	pressure []func() bool
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
	for _, s := range t.Streams {
		s.Reset()
	}
	t.Arguments.Reset()
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

// Put copies structures for kernels to the device.
func Put[T abi.Structure](t *Task, structures ...T) driver.Ptr {
	words := abi.Words(structures)
	if p := t.Arguments.Put(words); p != 0 {
		return p
	}
	p := t.Alloc(8 * len(words))
	t.Upload(p, buffers.Bytes(words))
	return p
}

// Launch queues a kernel.
func (t *Task) Launch(kernel string, blocks int, args ...uint64) {
	t.Fail(t.launchKernel(false, kernel, blocks, args))
}

// TryLaunch queues a cooperative kernel. It returns false if the driver refuses that, because other processes hold a
// part of the device; the kernel does not fit from then on.
func (t *Task) TryLaunch(kernel string, blocks int, args ...uint64) bool {
	err := t.launchKernel(false, kernel, blocks, args)
	if driver.Refused(err) {
		return false
	}
	t.Fail(err)
	return true
}

// LaunchEarly queues a kernel that itself waits for those queued before it, so that it may start while they end.
func (t *Task) LaunchEarly(kernel string, blocks int, args ...uint64) {
	t.Fail(t.launchKernel(true, kernel, blocks, args))
}

func (t *Task) launchKernel(early bool, kernel string, blocks int, args []uint64) error {
	if t.Failed() {
		return nil
	}
	if err := t.Arguments.Flush(t.Stream.Stream); err != nil {
		return err
	}
	err := t.Stream.Launch(early, strategy.KernelNumbers[kernel], blocks, args)
	if t.OnLaunch != nil {
		t.OnLaunch(kernel)
	}
	return err
}

// Blocks is the grid for kernels that take any: enough blocks to fill the device, fewer for few items.
func (t *Task) Blocks(items int) int {
	const itemsOfThread, blocksOfProcessor = 4, 8
	perBlock := kernels.StreamThreads * itemsOfThread
	return max(1, min((items+perBlock-1)/perBlock, t.Multiprocessors*blocksOfProcessor))
}

// Iota returns the numbers of n rows in the order of the input, or in reverse.
func (t *Task) Iota(n int, reversed bool) driver.Ptr {
	rows := t.Alloc(4 * n)
	t.Launch("iota", t.Blocks(n), uint64(rows), uint64(n), abi.Bool(reversed))
	return rows
}
