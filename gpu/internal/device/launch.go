//go:build cuda && linux && amd64

package device

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

// argumentBytes is enough for the structures of a sort of hundreds of keys.
const argumentBytes = 256 << 10

// arguments collects the structures that kernels read (kernels/abi.h), so that one copy uploads many of them.
type arguments struct {
	host   []uint64 // pinned
	device driver.Ptr
	used   int // words
	sent   int
}

func (a *arguments) open(c *driver.Context) error {
	memory, err := c.NewPinned(argumentBytes)
	if err != nil {
		return err
	}
	a.host = buffers.View[uint64](memory)
	a.device, err = c.Alloc(argumentBytes)
	return err
}

// put adds words and returns their future address on the device; 0 if they do not fit.
func (a *arguments) put(words []uint64) driver.Ptr {
	if a.used+len(words) > len(a.host) {
		return 0
	}
	at := a.used
	a.used += copy(a.host[at:], words)
	a.used = (a.used + 1) &^ 1 // structures begin at multiples of 16 bytes
	return a.device + driver.Ptr(8*at)
}

// flush uploads what was added since the last flush.
func (a *arguments) flush(s *driver.Stream) error {
	if a.sent == a.used {
		return nil
	}
	fresh := a.host[a.sent:a.used]
	err := s.Upload(a.device+driver.Ptr(8*a.sent), buffers.Bytes(fresh))
	a.sent = a.used
	return err
}

// Reset discards all structures. The stream is idle.
func (a *arguments) Reset() { a.used, a.sent = 0, 0 }

// Put copies structures for kernels to the device.
func Put[T abi.Structure](t *Task, structures ...T) driver.Ptr {
	words := abi.Words(structures)
	if p := t.Arguments.put(words); p != 0 {
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
	if err := t.Arguments.flush(t.Stream.Stream); err != nil {
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

// OrIota returns rows, or for 0, which stands for the order of the input, the numbers of n rows.
func (t *Task) OrIota(rows driver.Ptr, n int) driver.Ptr {
	if rows == 0 {
		return t.Iota(n, false)
	}
	return rows
}
