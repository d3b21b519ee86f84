package tablefile

import (
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A recycler is an allocator that keeps what it is given back, for the next one who asks for about as much: rows that are gathered
// piece by piece need the same few buffers again and again, and fresh memory takes longer than filling it. What it gives is not
// zero. It may be used by several goroutines.
type recycler struct {
	memory.Allocator
	mu    sync.Mutex
	used  map[*byte][]byte // the whole blocks that are in use, by their beginnings
	spare [][]byte
}

// leastRecycled are the bytes of a block that is worth it.
const leastRecycled = 1 << 12

func newRecycler(mem memory.Allocator) *recycler {
	return &recycler{Allocator: mem, used: map[*byte][]byte{}}
}

func (r *recycler) Allocate(size int) []byte {
	if size < leastRecycled {
		return r.Allocator.Allocate(size)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	best := -1
	for i, b := range r.spare {
		if len(b) >= size && len(b)/2 <= size && (best < 0 || len(b) < len(r.spare[best])) {
			best = i
		}
	}
	var b []byte
	if best >= 0 {
		last := len(r.spare) - 1
		b, r.spare[best] = r.spare[best], r.spare[last]
		r.spare = r.spare[:last]
	} else {
		b = r.Allocator.Allocate(size + size/8) // the next one may be a little larger
	}
	r.used[&b[0]] = b
	return b[:size:size]
}

func (r *recycler) Reallocate(size int, b []byte) []byte {
	if len(b) >= size {
		return b[:size]
	}
	grown := r.Allocate(size)
	copy(grown, b)
	r.Free(b)
	return grown
}

func (r *recycler) Free(b []byte) {
	if !r.keep(b) {
		r.Allocator.Free(b)
	}
}

// keep keeps a block for the next one, unless it is a small one.
func (r *recycler) keep(b []byte) bool {
	if cap(b) == 0 {
		return false
	}
	first := &b[:1][0]
	r.mu.Lock()
	defer r.mu.Unlock()
	whole, known := r.used[first]
	if known {
		delete(r.used, first)
		r.spare = append(r.spare, whole)
	}
	return known
}

// release gives everything that is not in use back.
func (r *recycler) release() {
	for _, b := range r.spare {
		r.Allocator.Free(b)
	}
	r.spare = nil
}
