package rawmem

import "github.com/apache/arrow/go/v15/arrow/memory"

// Zeroed is an allocator like mem for code that takes new memory to be zero, as Arrow's writer of IPC does.
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
