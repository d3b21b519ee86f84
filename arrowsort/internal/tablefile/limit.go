package tablefile

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ErrMemory is returned for a file that asks for more memory than there is.
var ErrMemory = errors.New("not enough memory")

// A limiter is an allocator that panics with ErrMemory instead of exhausting the machine: a broken length field can ask
// for any number of bytes, and an allocation that fails ends a Go process. Callers contain the panic.
type limiter struct {
	memory.Allocator
	limit int64
	used  atomic.Int64
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
		panic(fmt.Errorf("%w: the file asks for %d bytes beside %d in use, the limit is %d",
			ErrMemory, size, l.used.Load(), l.limit))
	}
	l.used.Add(int64(size))
}
