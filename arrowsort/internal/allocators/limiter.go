package allocators

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Limiter is an allocator that panics with an error instead of exhausting the machine: a broken length field can ask
// for any number of bytes, and an allocation that fails ends a Go process. Callers contain the panic.
type Limiter struct {
	memory.Allocator
	limit  int64
	kind   error
	used   atomic.Int64
	failed atomic.Pointer[error] // the last panic
}

// NewLimiter limits the bytes in use of an allocator; 0: no limit. The panics are of a kind.
func NewLimiter(mem memory.Allocator, limit int64, kind error) *Limiter {
	return &Limiter{Allocator: mem, limit: limit, kind: kind}
}

// Allocate allocates a block, or panics.
func (l *Limiter) Allocate(size int) []byte {
	l.reserve(size)
	return l.Allocator.Allocate(size)
}

// Reallocate changes the size of a block, or panics.
func (l *Limiter) Reallocate(size int, b []byte) []byte {
	l.reserve(size - len(b))
	return l.Allocator.Reallocate(size, b)
}

// Free frees a block.
func (l *Limiter) Free(b []byte) {
	l.used.Add(-int64(len(b)))
	l.Allocator.Free(b)
}

func (l *Limiter) reserve(size int) {
	if l.limit > 0 && int64(size) > l.limit-l.used.Load() {
		err := fmt.Errorf("%w: the file asks for %d bytes while %d are in use, the limit is %d",
			l.kind, size, l.used.Load(), l.limit)
		l.failed.Store(&err)
		panic(err)
	}
	l.used.Add(int64(size))
}

// Failure returns err, or the error of the last panic in its place if mem is a Limiter that panicked: Arrow's reader of
// IPC turns panics into text. Nil stays nil.
func Failure(mem memory.Allocator, err error) error {
	if l, ok := mem.(*Limiter); ok && err != nil && l.failed.Load() != nil {
		return *l.failed.Load()
	}
	return err
}
