package tablefile

import (
	"cmp"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// What a file may take in memory when nobody has set a limit. A small file can declare any number of values.
const (
	leastLimit   = 1 << 30 // for any file
	limitPerByte = 1000    // for each byte of the file
)

// limitMemory sets the limit for a file of a size, or of an unknown one, and makes the allocator keep it.
func (o *ReadOptions) limitMemory(size int64) {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = machine.Memory()
		if size >= 0 {
			o.declared = max(leastLimit, limitPerByte*size)
		}
		if o.declared > 0 && (o.MemoryLimit == 0 || o.declared < o.MemoryLimit) {
			o.MemoryLimit = o.declared
		}
	}
	o.Allocator = allocators.NewLimiter(cmp.Or(o.Allocator, memory.DefaultAllocator), o.MemoryLimit, ErrLimit)
}

// memoryError returns the error that a limiter panicked with, which Arrow's reader of IPC turns into text, or else err.
func memoryError(mem memory.Allocator, err error) error {
	if l, ok := mem.(*allocators.Limiter); ok {
		return l.Failure(err)
	}
	return err
}
