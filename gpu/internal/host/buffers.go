package host

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Buffers allocates memory of the caller's allocator and lists it, so that one Release gives everything
// back that did not become part of a result.
type Buffers struct {
	Mem  engine.Allocator
	live map[*byte][]byte // by their first bytes
}

// hugeBytes is the least size of a buffer for which huge pages are asked: copying into fresh memory costs mostly page
// faults.
const hugeBytes = 2 << 20

// Bytes returns n bytes of undefined content; nil for none.
func (b *Buffers) Bytes(n int) ([]byte, error) {
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
func (b *Buffers) Keep(buf []byte) { delete(b.live, unsafe.SliceData(buf)) }

// Free frees one buffer before the others.
func (b *Buffers) Free(buf []byte) {
	if b.live[unsafe.SliceData(buf)] != nil {
		b.Keep(buf)
		b.Mem.Free(buf)
	}
}

// Release frees what is neither kept nor freed.
func (b *Buffers) Release() {
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
