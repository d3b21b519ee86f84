//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

// put copies structures for kernels to the device.
func put[T abi.Structure](t *task, structures ...T) driver.Ptr {
	words := abi.Words(structures)
	if p := t.params.Put(words); p != 0 {
		return p
	}
	p := t.alloc(8 * len(words))
	t.Upload(p, buffers.Bytes(words))
	return p
}

// launch queues a kernel.
func (t *task) launch(kernel string, blocks int, args ...uint64) {
	t.launchKernel(false, kernel, blocks, args)
}

// launchEarly queues a kernel that itself waits for those queued before it, so that it may start while they end.
func (t *task) launchEarly(kernel string, blocks int, args ...uint64) {
	t.launchKernel(true, kernel, blocks, args)
}

func (t *task) launchKernel(early bool, kernel string, blocks int, args []uint64) {
	if t.Failed() {
		return
	}
	t.Fail(t.params.Flush(t.Stream.Stream))
	if !t.Failed() {
		t.Fail(t.Launch(early, strategy.KernelNumbers[kernel], blocks, args))
		if t.onLaunch != nil {
			t.onLaunch(kernel)
		}
	}
}

// blocks is the grid for kernels that take any: enough blocks to fill the device, fewer for few items.
func (t *task) blocks(items int) int {
	const itemsOfThread, blocksOfProcessor = 4, 8
	perBlock := kernels.StreamThreads * itemsOfThread
	return max(1, min((items+perBlock-1)/perBlock, t.Multiprocessors*blocksOfProcessor))
}

// iota returns the numbers of n rows in the order of the input, or in reverse.
func (t *task) iota(n int, reversed bool) driver.Ptr {
	rows := t.alloc(4 * n)
	t.launch("iota", t.blocks(n), uint64(rows), uint64(n), abi.Bool(reversed))
	return rows
}
