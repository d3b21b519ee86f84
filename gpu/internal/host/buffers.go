package host

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// Buffers allocates memory of the caller's allocator and lists it, so that one Release gives everything
// back that did not become part of a result.
type Buffers struct {
	Mem  engine.Allocator
	live [][]byte
}

// Bytes returns n bytes of undefined content; nil for none.
func (b *Buffers) Bytes(n int) (buf []byte, err error) {
	if n == 0 {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			buf, err = nil, fmt.Errorf("%w: allocating %d bytes: %v", engine.ErrMemory, n, r)
		}
	}()
	buf = b.Mem.Allocate(n)
	if len(buf) < n {
		if buf != nil {
			b.Mem.Free(buf)
		}
		return nil, fmt.Errorf("%w: the allocator returned %d of %d bytes", engine.ErrMemory, len(buf), n)
	}
	adviseHuge(buf)
	b.live = append(b.live, buf)
	return buf, nil
}

// Keep makes a buffer part of the result: Release spares it.
func (b *Buffers) Keep(buf []byte) {
	if i := b.find(buf); i >= 0 {
		b.live = slices.Delete(b.live, i, i+1)
	}
}

// Free frees one buffer before the others.
func (b *Buffers) Free(buf []byte) {
	if i := b.find(buf); i >= 0 {
		b.live = slices.Delete(b.live, i, i+1)
		b.Mem.Free(buf)
	}
}

func (b *Buffers) find(buf []byte) int {
	return slices.IndexFunc(b.live, func(l []byte) bool { return unsafe.SliceData(l) == unsafe.SliceData(buf) })
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
	var zero T
	buf, err := b.Bytes(n * int(unsafe.Sizeof(zero)))
	return View[T](buf), err
}

// View returns bytes as values of a fixed size. Allocators align to 64 bytes as Arrow requires; for others, the
// processors that this runs on load and store unaligned words.
func View[T uint32 | uint64 | int32 | int64](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// BytesOf returns values as bytes.
func BytesOf[T uint32 | uint64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
