// Package rawmem is Go's memory without the zeros.
package rawmem

import (
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Of is an allocator like mem for whoever fills what is allocated: large blocks of Arrow's Go allocator, which nil
// stands for unless memory.DefaultAllocator is another, are not zeroed. Zeroing is done by one thread and touches pages
// before they can be asked to be huge, for memory that is then filled by all threads. Blocks of the one may be given
// back to the other.
func Of(mem memory.Allocator) memory.Allocator {
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

// large is where blocks take many pages.
const large = 1 << 20

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

// raw is memory of a strings.Builder: only there, Go gives memory without zeroing it. The string that is looked through
// by unsafe is dropped, so nobody sees it change.
func raw(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0) // an empty string need not point to the memory
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}
