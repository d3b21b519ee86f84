//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// padding is the bytes that kernels may read after the end of a buffer.
const padding = 64

// sortBytes is about the memory of a sort for each row, in addition to columns: records, row numbers, gathered values.
const sortBytes = 64

// alloc returns memory of the device, of undefined content, until free or the end of the task.
func (t *task) alloc(bytes int) driver.Ptr {
	return t.obtain(bytes, func() (driver.Ptr, error) { return t.memory.Get(bytes + padding) })
}

// obtain calls get, which allocates the given bytes. If the device's memory is full, it frees what the task does not
// need and calls get again.
func (t *task) obtain(bytes int, get func() (driver.Ptr, error)) driver.Ptr {
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

// onPressure has trim called when the device's memory is full: it frees optional memory, or returns false if none is
// left. Of several functions the newest is called first.
func (t *task) onPressure(trim func() bool) { t.pressure = append(t.pressure, trim) }

func (t *task) trim() bool {
	return slices.ContainsFunc(t.pressure, func(trim func() bool) bool { return trim() })
}

// allocAll allocates memory of all sizes, or none if the device's memory is full: for memory that is not required.
func (t *task) allocAll(sizes ...int) (all []driver.Ptr, ok bool) {
	for len(all) < len(sizes) && !t.Failed() {
		p, err := t.memory.Get(sizes[len(all)] + padding)
		if driver.IsFull(err) {
			break
		}
		if t.Fail(err); err == nil {
			all = append(all, p)
		}
	}
	if len(all) < len(sizes) {
		t.free(all...)
		return nil, false
	}
	return all, true
}

// outOfMemory returns an error with the bytes that are needed and free.
func (t *task) outOfMemory(bytes int, err error) error {
	free, _ := t.FreeMemory()
	return fmt.Errorf("%w: the sort needs at least %d bytes, of which it has %d: %s has %d, of which %d are free: %w",
		engine.ErrMemory, t.memory.Used+bytes, t.memory.Used, t.Name, t.Memory, free, err)
}

// hasMemory reports whether the given bytes are likely to fit the device's memory. It measures the free memory again
// only if the last measurement is too little.
func (s *session) hasMemory(bytes int) bool {
	if int64(bytes) > s.freeBytes {
		s.measureMemory()
	}
	return int64(bytes) <= s.freeBytes
}

// measureMemory measures the device memory that sorts can use.
func (s *session) measureMemory() {
	if free, err := s.FreeMemory(); err == nil { // an error shows in the next call as well
		s.freeBytes = free + int64(s.memory.Held)
	}
}

// zeros allocates memory that is zero.
func (t *task) zeros(bytes int) driver.Ptr {
	p := t.alloc(bytes)
	t.clear(p, bytes)
	return p
}

// clear makes memory zero.
func (t *task) clear(p driver.Ptr, bytes int) {
	if bytes > 0 && !t.Failed() {
		t.Fail(t.Zero(p, bytes))
	}
}

// free frees memory. Kernels that the stream has queued may still use it.
func (t *task) free(ps ...driver.Ptr) {
	for _, p := range ps {
		if p != 0 {
			t.memory.Put(p)
		}
	}
}
