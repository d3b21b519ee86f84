package main

import (
	"context"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// memoryWork measures the temp storage of a sort: the most bytes that were allocated at any moment, less those of the
// result.
func memoryWork(rec arrow.Record, keys []arrowsort.Key) *work {
	return &work{variants: []variant{{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
		mem := &peakAllocator{Allocator: memory.NewGoAllocator()}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, m, err := clock(func() (arrow.Record, error) {
			return arrowsort.Sort(ctx, rec, keys, arrowsort.Options{Allocator: mem})
		})
		runtime.ReadMemStats(&after)
		// What was not allocated through the allocator counts in full, although some may have been garbage at the peak.
		outside := int64(after.TotalAlloc-before.TotalAlloc) - mem.total
		m.Bytes = mem.peak - mem.live + max(outside, 0)
		return result, m, err
	}}}}
}

// peakAllocator remembers the most bytes that were live at once.
type peakAllocator struct {
	memory.Allocator
	mu                sync.Mutex
	live, peak, total int64
}

func (a *peakAllocator) Allocate(size int) []byte {
	a.grow(size)
	return a.Allocator.Allocate(size)
}

// Reallocate counts old and new memory as live at once, as they are while the bytes are copied.
func (a *peakAllocator) Reallocate(size int, b []byte) []byte {
	a.grow(size)
	defer a.shrink(len(b))
	return a.Allocator.Reallocate(size, b)
}

func (a *peakAllocator) Free(b []byte) {
	a.shrink(len(b))
	a.Allocator.Free(b)
}

func (a *peakAllocator) grow(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total += int64(size)
	a.live += int64(size)
	a.peak = max(a.peak, a.live)
}

func (a *peakAllocator) shrink(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live -= int64(size)
}
