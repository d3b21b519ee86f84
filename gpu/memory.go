//go:build cuda && linux && amd64

package gpu

import (
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// padding is what kernels may read behind the end of a buffer.
const padding = 64

// alloc returns memory of the device, of undefined content, until free or the end of the task.
func (t *task) alloc(bytes int) driver.Ptr {
	return t.obtain(bytes, func() (driver.Ptr, error) { return t.memory.get(bytes + padding) })
}

// obtain calls get for so many bytes. When the memory is full it gives back what the task can do without, and calls
// again.
func (t *task) obtain(bytes int, get func() (driver.Ptr, error)) driver.Ptr {
	if t.failed() {
		return 0
	}
	p, err := get()
	for isFull(err) && t.giveBack() && !t.failed() {
		p, err = get()
	}
	if isFull(err) {
		err = t.outOfMemory(bytes, err)
	}
	t.fail(err)
	return p
}

// allocAll is alloc for what the task can do without: memory of all sizes, or none when it is full.
func (t *task) allocAll(sizes ...int) (all []driver.Ptr, ok bool) {
	for _, bytes := range sizes {
		if t.failed() {
			break
		}
		p, err := t.memory.get(bytes + padding)
		if err != nil {
			if !isFull(err) {
				t.fail(err)
			}
			break
		}
		all = append(all, p)
	}
	if len(all) < len(sizes) {
		t.free(all...)
		return nil, false
	}
	return all, true
}

// isFull reports whether an error of the driver is that there is too little memory.
func isFull(err error) bool {
	var failure *driver.Error
	return errors.As(err, &failure) && failure.OutOfMemory()
}

// outOfMemory tells how much is needed and how much there is.
func (t *task) outOfMemory(bytes int, err error) error {
	free, _ := t.FreeMemory()
	return fmt.Errorf("%w: the sort needs at least %d bytes, of which it has %d: %s has %d, of which %d are free: %w",
		engine.ErrMemory, t.memory.used+bytes, t.memory.used, t.Name, t.Memory, free, err)
}

// hasRoom reports whether so many bytes are likely to fit beside what others have: by what was free when that was asked
// last, unless that is too little.
func (s *session) hasRoom(bytes int) bool {
	if int64(bytes) > s.room {
		s.measureRoom()
	}
	return int64(bytes) <= s.room
}

// measureRoom asks how much memory of the device is for sorts.
func (s *session) measureRoom() {
	if free, err := s.FreeMemory(); err == nil { // what fails here fails elsewhere too
		s.room = free + int64(s.memory.held)
	}
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
