//go:build cuda && linux && amd64

package device

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

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
