package rawmem

import (
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Recycler is an allocator that keeps what it is given back, for the next request of about the size: rows that are
// gathered piece by piece need the same few buffers again and again, and fresh memory takes longer than filling it.
// What it gives is not zero. It may be used by several goroutines.
type Recycler struct {
	memory.Allocator
	mu    sync.Mutex
	used  map[*byte][]byte // the whole blocks that are in use, by their beginnings
	spare [][]byte         // the whole blocks that are not
	idle  int64            // their bytes
	most  int64            // of them; 0: any
	ended bool             // blocks are not kept any more
}

// leastRecycled are the bytes of a block that is worth it.
const leastRecycled = 1 << 12

// NewRecycler returns a Recycler that takes what it does not have from an allocator. It keeps at most the given number
// of bytes that are not in use, 0 for any number.
func NewRecycler(mem memory.Allocator, most int64) *Recycler {
	return &Recycler{Allocator: Of(mem), most: most, used: map[*byte][]byte{}}
}

// Allocate returns a spare block, if one has about the size.
func (r *Recycler) Allocate(size int) []byte {
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
		b = r.takeOut(best)
	} else {
		b = r.Allocator.Allocate(size + size/8) // the next one may be a little larger
	}
	r.used[&b[0]] = b
	return b[:size:size]
}

// Reallocate returns the start of the block, or a larger block with its content.
func (r *Recycler) Reallocate(size int, b []byte) []byte {
	switch owned := r.owns(b); {
	case !owned && size < leastRecycled:
		return r.Allocator.Reallocate(size, b)
	case owned && len(b) >= size:
		return b[:size]
	}
	grown := r.Allocate(size)
	copy(grown, b)
	r.Free(b)
	return grown
}

// Free takes a block back.
func (r *Recycler) Free(b []byte) {
	if cap(b) == 0 {
		r.Allocator.Free(b)
		return
	}
	first := &b[:1][0]
	r.mu.Lock()
	defer r.mu.Unlock()
	whole, owned := r.used[first]
	delete(r.used, first)
	switch {
	case !owned: // a small one
		r.Allocator.Free(b)
	case r.ended:
		r.Allocator.Free(whole)
	default:
		r.spare, r.idle = append(r.spare, whole), r.idle+int64(len(whole))
		for r.most > 0 && r.idle > r.most {
			r.Allocator.Free(r.takeOut(0))
		}
	}
}

// owns reports whether a block is in use and not a small one.
func (r *Recycler) owns(b []byte) bool {
	if cap(b) == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used[&b[:1][0]] != nil
}

// takeOut takes a spare block.
func (r *Recycler) takeOut(i int) []byte {
	b := r.spare[i]
	r.spare, r.idle = slices.Delete(r.spare, i, i+1), r.idle-int64(len(b))
	return b
}

// Release frees the spare blocks. From then on Free keeps none.
func (r *Recycler) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.spare {
		r.Allocator.Free(b)
	}
	r.spare, r.idle, r.ended = nil, 0, true
}
