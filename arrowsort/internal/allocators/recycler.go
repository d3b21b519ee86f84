package allocators

import (
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Recycler is an allocator that keeps freed blocks for later requests of about their size: gathering rows piece by
// piece needs the same few buffers again and again, and fresh memory takes longer than filling it. Its blocks are not
// zeroed. It is safe for concurrent use.
type Recycler struct {
	memory.Allocator
	mu    sync.Mutex
	used  map[*byte][]byte // whole blocks in use, by their first bytes
	spare [][]byte         // whole unused blocks, the oldest first
	bytes int64            // of all blocks
	most  int64            // limit of bytes for keeping spare blocks; 0: none
	ended bool             // freed blocks are not kept any more
}

// leastRecycled is the least number of bytes of a block that is kept.
const leastRecycled = 1 << 12

// NewRecycler returns a Recycler that allocates from mem. It keeps unused blocks only while all blocks together take at
// most the given number of bytes; 0 is no limit.
func NewRecycler(mem memory.Allocator, most int64) *Recycler {
	return &Recycler{Allocator: Unzeroed(mem), most: most, used: map[*byte][]byte{}}
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
		if len(b) >= size && len(b)-len(b)/4 <= size && (best < 0 || len(b) < len(r.spare[best])) {
			best = i
		}
	}
	var b []byte
	if best >= 0 {
		b = r.takeOut(best)
	} else {
		whole := size + size/8 // the next one may be a little larger
		r.shrink(int64(whole))
		b = r.Allocator.Allocate(whole) // may panic
		r.bytes += int64(whole)
	}
	r.used[&b[0]] = b
	return b[:size:size]
}

// Reallocate returns the block with another length, or a larger block with its content.
func (r *Recycler) Reallocate(size int, b []byte) []byte {
	switch whole := r.owned(b); {
	case whole == nil && size < leastRecycled:
		return r.Allocator.Reallocate(size, b)
	case size <= len(whole):
		return whole[:size:size]
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
		r.free(whole)
	default:
		r.spare = append(r.spare, whole)
		r.shrink(0)
	}
}

// shrink frees spare blocks, the oldest first, while all, and some bytes more, take too much.
func (r *Recycler) shrink(more int64) {
	for r.most > 0 && r.bytes+more > r.most && len(r.spare) > 0 {
		r.free(r.takeOut(0))
	}
}

// free gives a whole block back.
func (r *Recycler) free(whole []byte) {
	r.bytes -= int64(len(whole))
	r.Allocator.Free(whole)
}

// owned returns the whole of a block that is in use, nil for a small one.
func (r *Recycler) owned(b []byte) []byte {
	if cap(b) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used[&b[:1][0]]
}

// takeOut takes a spare block.
func (r *Recycler) takeOut(i int) []byte {
	b := r.spare[i]
	r.spare = slices.Delete(r.spare, i, i+1)
	return b
}

// Release frees the spare blocks. From then on Free keeps none.
func (r *Recycler) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.spare {
		r.free(b)
	}
	r.spare, r.ended = nil, true
}
