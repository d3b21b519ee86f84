package arrowsort

import (
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
)

// A Recycler is an allocator that keeps the memory of results that are released, and temporary memory, for the calls
// after. A program that sorts again and again then writes to memory that the system has given it already: fresh memory
// takes longer than a copy of as many bytes, on many virtual machines several times as long.
//
//	recycler := arrowsort.NewRecycler(nil, 4<<30)
//	defer recycler.Release()
//	for record := range records {
//		sorted, err := arrowsort.Sort(ctx, record, keys, arrowsort.Options{Allocator: recycler})
//		...
//		sorted.Release()
//	}
//
// Results have to be released, or their memory is never free. Blocks of 4 KiB and more are kept, with an eighth more
// bytes than asked for, so that one serves results of somewhat different sizes too; a block that is cut to fewer bytes
// stays whole. Their bytes are those that the last user left: a Recycler is for Options.Allocator, not for code that
// expects zeros. NewRecycler makes one; it is safe for concurrent use.
type Recycler struct{ blocks *allocators.Recycler }

// NewRecycler returns a Recycler that allocates from mem; nil is memory.DefaultAllocator. Memory that is not in use is
// kept only while all blocks, those in use included, take at most the given number of bytes: the oldest are freed
// first. 0 is no limit.
func NewRecycler(mem memory.Allocator, most int64) *Recycler {
	return &Recycler{allocators.NewRecycler(mem, most)}
}

// Allocate returns size bytes of any content.
func (r *Recycler) Allocate(size int) []byte { return r.blocks.Allocate(size) }

// Reallocate returns the first bytes of a block, or a larger block that begins with its content.
func (r *Recycler) Reallocate(size int, b []byte) []byte { return r.blocks.Reallocate(size, b) }

// Free takes a block back.
func (r *Recycler) Free(b []byte) { r.blocks.Free(b) }

// Release frees the memory that is not in use. What is in use is freed by the last Free from then on: nothing is kept
// any more.
func (r *Recycler) Release() { r.blocks.Release() }
