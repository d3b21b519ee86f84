// Package gomemory allocates ordinary Go memory without clearing it.
package gomemory

import (
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Default is memory.DefaultAllocator. While that is Arrow's allocator of Go memory, large buffers are not cleared, as nothing of arrowsort
// asks for: clearing them, on one thread, takes longer than sorting on all of them.
func Default() memory.Allocator {
	if plain, ok := memory.DefaultAllocator.(*memory.GoAllocator); ok {
		return uncleared{plain}
	}
	return memory.DefaultAllocator
}

// uncleared gives memory of undefined content, which the garbage collector takes back as it does Arrow's.
type uncleared struct{ *memory.GoAllocator }

const (
	least     = 1 << 20 // the least that is worth it
	alignment = 64      // as Arrow asks
)

func (u uncleared) Allocate(size int) []byte {
	if size < least {
		return u.GoAllocator.Allocate(size)
	}
	raw := undefined(size + alignment)
	shift := -int(uintptr(unsafe.Pointer(&raw[0]))) & (alignment - 1)
	return raw[shift : shift+size : shift+size]
}

func (u uncleared) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := u.Allocate(size)
	copy(grown, b)
	return grown
}

// undefined is n bytes as a strings.Builder allocates them, the one way to memory without pointers that Go does not clear. Nobody
// else has the string of one byte that shares them, so that they may be written to.
func undefined(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
