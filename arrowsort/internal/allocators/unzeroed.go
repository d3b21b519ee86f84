// Package allocators has allocators of Arrow for memory that its caller fills: blocks that are not zeroed, and blocks
// that are used again.
package allocators

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Unzeroed returns mem but, if that is Arrow's Go allocator, does not zero large blocks: for callers that write every
// byte. A nil mem stands for memory.DefaultAllocator. Zeroing runs in one thread and touches pages before they can be
// advised to be huge. Blocks of mem and of the result may be freed by either.
func Unzeroed(mem memory.Allocator) memory.Allocator {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	if _, ok := mem.(*memory.GoAllocator); ok {
		return unzeroed
	}
	return mem
}

var unzeroed memory.Allocator = allocator{memory.NewGoAllocator()}

type allocator struct{ memory.Allocator }

// large is the least size of a block that is not zeroed: from there on blocks start at a page and so are aligned.
// Zeroing 101 columns of 800 kB takes a third of the time of sorting them.
const large = 1 << 16

func (a allocator) Allocate(size int) []byte {
	if size < large {
		return a.Allocator.Allocate(size)
	}
	return raw(size)
}

func (a allocator) Reallocate(size int, b []byte) []byte {
	if cap(b) >= size {
		return b[:size]
	}
	grown := a.Allocate(size)
	copy(grown, b)
	return grown
}

// raw returns memory of a strings.Builder, the only memory that Go does not zero. It reads the builder's field, if it
// is still called so: a string of the builder points to the memory only after a first byte, and writing that touches a
// page before it can be advised to be huge.
func raw(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	field := reflect.ValueOf(&b).Elem().FieldByName("buf")
	if field.IsValid() && field.Type() == reflect.TypeFor[[]byte]() && field.Cap() >= size {
		return field.Bytes()[:size:size]
	}
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// Zeroed returns an allocator that clears blocks of mem, for code that takes new memory to be zero, as Arrow's writer
// of IPC does.
func Zeroed(mem memory.Allocator) memory.Allocator { return zeroed{mem} }

type zeroed struct{ memory.Allocator }

func (z zeroed) Allocate(size int) []byte {
	b := z.Allocator.Allocate(size)
	clear(b)
	return b
}

func (z zeroed) Reallocate(size int, b []byte) []byte {
	grown := z.Allocator.Reallocate(size, b)
	clear(grown[min(size, len(b)):])
	return grown
}
