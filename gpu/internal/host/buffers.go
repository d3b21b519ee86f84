package host

import (
	"sync"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Buffers allocates memory of the caller's allocator and lists it, so that one Release gives everything
// back that did not become part of a result. It is safe for concurrent use, which the allocator need not be.
type Buffers struct {
	Mem   engine.Allocator
	mutex sync.Mutex
	live  map[*byte][]byte // by their first bytes
}

// hugeBytes is the least size of a buffer for which huge pages are asked: copying into fresh memory costs mostly page
// faults.
const hugeBytes = 2 << 20

// Bytes returns n bytes of undefined content; nil for none.
func (b *Buffers) Bytes(n int) ([]byte, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	buf, err := engine.Allocate(b.Mem, n)
	if buf == nil {
		return nil, err
	}
	machine.AdviseHuge(buf, hugeBytes)
	if b.live == nil {
		b.live = map[*byte][]byte{}
	}
	b.live[&buf[0]] = buf
	return buf, nil
}

// Keep makes a buffer part of the result: Release spares it.
func (b *Buffers) Keep(buf []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.live, unsafe.SliceData(buf))
}

// Free frees one buffer before the others.
func (b *Buffers) Free(buf []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if first := unsafe.SliceData(buf); b.live[first] != nil {
		delete(b.live, first)
		b.Mem.Free(buf)
	}
}

// Release frees what is neither kept nor freed.
func (b *Buffers) Release() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, buf := range b.live {
		b.Mem.Free(buf)
	}
	b.live = nil
}

// Words returns n values of a type without pointers, of undefined content.
func Words[T uint32 | uint64](b *Buffers, n int) ([]T, error) {
	buf, err := b.Bytes(n * int(unsafe.Sizeof(T(0))))
	return buffers.View[T](buf), err
}
