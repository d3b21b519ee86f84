package allocators

import "github.com/apache/arrow/go/v15/arrow/memory"

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
