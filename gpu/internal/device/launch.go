//go:build cuda && linux && amd64

package device

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

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
	t.launchKernel(false, kernel, blocks, args)
}

// LaunchEarly queues a kernel that itself waits for those queued before it, so that it may start while they end.
func (t *Task) LaunchEarly(kernel string, blocks int, args ...uint64) {
	t.launchKernel(true, kernel, blocks, args)
}

func (t *Task) launchKernel(early bool, kernel string, blocks int, args []uint64) {
	if t.Failed() {
		return
	}
	t.Fail(t.Arguments.Flush(t.Stream.Stream))
	if !t.Failed() {
		t.Fail(t.Stream.Launch(early, strategy.KernelNumbers[kernel], blocks, args))
		if t.OnLaunch != nil {
			t.OnLaunch(kernel)
		}
	}
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
