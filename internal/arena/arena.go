// Package arena allocates memory from a caller's allocator and frees it together, except what becomes part of a result.
package arena

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// An Arena lists the buffers of one call, so that one Release frees everything that did not become part of a result. It
// is safe for concurrent use, which the allocator need not be.
type Arena struct {
	call  context.Context // nothing is allocated after its end
	mutex sync.Mutex
	mem   engine.Allocator
	live  [][]byte
}

// New returns an arena for a call.
func New(call context.Context, mem engine.Allocator) *Arena { return &Arena{call: call, mem: mem} }

// Bytes returns n bytes of undefined content, nil for none, unless the context has ended.
func (a *Arena) Bytes(n int) ([]byte, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err := a.call.Err(); err != nil {
		return nil, err
	}
	buf, err := engine.Allocate(a.mem, n)
	if buf == nil {
		return nil, err
	}
	machine.AdviseHuge(buf, machine.HugeBytes)
	a.live = append(a.live, buf)
	return buf, nil
}

// Slice returns n values of a type without pointers, of undefined content, nil for none, unless the context has ended.
func Slice[T uint16 | uint32 | uint64](a *Arena, n int) ([]T, error) {
	var zero T
	if n > math.MaxInt/int(unsafe.Sizeof(zero)) {
		return nil, fmt.Errorf("%w: %d values of %d bytes", engine.ErrMemory, n, unsafe.Sizeof(zero))
	}
	buf, err := a.Bytes(n * int(unsafe.Sizeof(zero)))
	return buffers.View[T](buf), err
}

// Shrink cuts a buffer to its first n bytes.
func (a *Arena) Shrink(buf []byte, n int) (short []byte, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	i := a.find(buf)
	if i < 0 || n == len(buf) {
		return buf, nil
	}
	if err := a.call.Err(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			short, err = nil, fmt.Errorf("%w: shrinking to %d bytes: %v", engine.ErrMemory, n, r)
		}
	}()
	if short = a.mem.Reallocate(n, buf); short != nil {
		a.live[i] = short
	}
	if len(short) < n {
		return nil, fmt.Errorf("%w: the allocator returned %d of %d bytes", engine.ErrMemory, len(short), n)
	}
	return short[:n], nil
}

// Keep makes a buffer part of the result: Release spares it.
func (a *Arena) Keep(buf []byte) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if i := a.find(buf); i >= 0 {
		a.forget(i)
	}
}

// Free frees one buffer before the others. It does nothing for memory that is not the arena's, nil included.
func (a *Arena) Free(buf []byte) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if i := a.find(buf); i >= 0 {
		a.forget(i)
		a.mem.Free(buf)
	}
}

// forget takes a buffer off the list, which moves those on its shorter side. The columns of a result are kept in the
// order of their buffers, so that each of many is near the start.
func (a *Arena) forget(i int) {
	if i >= len(a.live)/2 {
		a.live = slices.Delete(a.live, i, i+1)
		return
	}
	copy(a.live[1:i+1], a.live[:i])
	a.live[0], a.live = nil, a.live[1:]
}

func (a *Arena) find(buf []byte) int {
	return slices.IndexFunc(a.live, func(l []byte) bool { return unsafe.SliceData(l) == unsafe.SliceData(buf) })
}

// Release frees what is neither kept nor freed.
func (a *Arena) Release() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, buf := range a.live {
		a.mem.Free(buf)
	}
	a.live = nil
}
