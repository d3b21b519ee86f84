package host

import (
	"slices"

	"github.com/arrowsort/arrowsort/keyencode"
)

// chunks finds the rows of a column in its chunks.
type chunks struct {
	all    []keyencode.Chunk // those that have rows
	starts []int             // the first row of each chunk, and the number of all rows
}

func newChunks(c *keyencode.Column) chunks {
	s := chunks{starts: []int{0}}
	for _, k := range c.Chunks {
		if k.Rows > 0 {
			s.all = append(s.all, k)
			s.starts = append(s.starts, s.starts[len(s.starts)-1]+k.Rows)
		}
	}
	return s
}

// find returns the number of a row's chunk and its place there, the chunk's offset left out.
func (s *chunks) find(row int) (chunk, in int) {
	if len(s.all) == 1 {
		return 0, row
	}
	chunk, _ = slices.BinarySearch(s.starts, row+1)
	return chunk - 1, row - s.starts[chunk-1]
}

// valid reports whether a place of a chunk is not null.
func valid(k *keyencode.Chunk, in int) bool {
	return k.Validity == nil || bitAt(k.Validity, k.Offset+in)
}

func bitAt(bitmap []byte, i int) bool { return bitmap[i>>3]>>(i&7)&1 != 0 }
