// Package allocators has allocators of Arrow for memory that its caller fills: blocks that are not zeroed, and blocks
// that are used again.
package allocators

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
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

// A Small allocates blocks of up to 64 bytes as the garbage collector frees them, and others by an allocator. It is for
// pqarrow, whose decoders of differences never free such a block: one for each page of text.
type Small struct{ memory.Allocator }

const smallBytes = 64

// Allocate allocates a block.
func (s Small) Allocate(size int) []byte {
	if size <= smallBytes {
		return make([]byte, size)
	}
	return s.Allocator.Allocate(size)
}

// Reallocate changes the size of a block.
func (s Small) Reallocate(size int, b []byte) []byte {
	if size > smallBytes && len(b) > smallBytes {
		return s.Allocator.Reallocate(size, b)
	}
	changed := s.Allocate(size)
	copy(changed, b)
	s.Free(b)
	return changed
}

// Free frees a block.
func (s Small) Free(b []byte) {
	if len(b) > smallBytes {
		s.Allocator.Free(b)
	}
}
