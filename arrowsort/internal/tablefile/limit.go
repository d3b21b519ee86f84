package tablefile

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/memory"

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
	o.Allocator = newLimiter(cmp.Or(o.Allocator, memory.DefaultAllocator), o.MemoryLimit)
}

// A limiter is an allocator that panics with ErrLimit instead of exhausting the machine: a broken length field can ask
// for any number of bytes, and an allocation that fails ends a Go process. Callers contain the panic.
type limiter struct {
	memory.Allocator
	limit  int64
	used   atomic.Int64
	failed atomic.Pointer[error] // the last panic
}

func newLimiter(mem memory.Allocator, limit int64) *limiter {
	return &limiter{Allocator: mem, limit: limit}
}

func (l *limiter) Allocate(size int) []byte {
	l.reserve(size)
	return l.Allocator.Allocate(size)
}

func (l *limiter) Reallocate(size int, b []byte) []byte {
	l.reserve(size - len(b))
	return l.Allocator.Reallocate(size, b)
}

func (l *limiter) Free(b []byte) {
	l.used.Add(-int64(len(b)))
	l.Allocator.Free(b)
}

func (l *limiter) reserve(size int) {
	if l.limit > 0 && int64(size) > l.limit-l.used.Load() {
		err := fmt.Errorf("%w: the file asks for %d bytes while %d are in use, the limit is %d",
			ErrLimit, size, l.used.Load(), l.limit)
		l.failed.Store(&err)
		panic(err)
	}
	l.used.Add(int64(size))
}

// memoryError returns the error that a limiter panicked with, which Arrow's reader of IPC turns into text, or else err.
func memoryError(mem memory.Allocator, err error) error {
	if l, ok := mem.(*limiter); ok && err != nil && l.failed.Load() != nil {
		return *l.failed.Load()
	}
	return err
}
