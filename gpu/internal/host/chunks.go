package host

import (
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// chunks finds the rows of a column in its chunks.
type chunks struct {
	all    []keyencode.Chunk
	starts buffers.Chunks
}

func newChunks(c *keyencode.Column) chunks {
	return chunks{c.Chunks, buffers.NewChunks(len(c.Chunks), func(i int) int { return c.Chunks[i].Rows })}
}

// find returns the number of a row's chunk and its place there, the chunk's offset left out.
func (s *chunks) find(row int) (chunk, in int) {
	chunk = s.starts.Find(row)
	return chunk, row - s.starts[chunk]
}

// valid reports whether a place of a chunk is not null.
func valid(k *keyencode.Chunk, in int) bool {
	return k.Validity == nil || buffers.Bit(k.Validity, k.Offset+in)
}
