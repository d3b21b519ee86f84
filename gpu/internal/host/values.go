package host

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/arena"
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

// GatherValues gathers rows of a column of fixed width or of bits into buffers of the allocator.
func GatherValues(w *Workers, mem *arena.Arena, c *keyencode.Column, rows []uint32) (out engine.Column, err error) {
	s, bits := newChunks(c), c.Kind == keyencode.Bool
	size := c.ValueBytes() * len(rows)
	if bits {
		size = (len(rows) + 7) / 8
	}
	if out.Values, err = mem.Bytes(size); err != nil {
		return out, err
	}
	gather := s.gatherWide(out.Values, c.ValueBytes(), rows)
	if bits {
		gather = s.gatherBits(out.Values, rows,
			func(k *keyencode.Chunk, in int) bool { return buffers.Bit(k.Values, k.Offset+in) })
	}
	if err = w.Tiles(len(rows), GatherTile, gather); err != nil {
		return out, err
	}
	return out, s.gatherValidity(w, mem, rows, &out)
}

// GatherTile is the number of rows that one thread gathers at a time; a multiple of 64, so that no two threads write to
// the same word of a bitmap.
const GatherTile = 1 << 14

func (s *chunks) gatherWide(dst []byte, width int, rows []uint32) func(lo, hi int) {
	return func(lo, hi int) {
		for i, row := range rows[lo:hi] {
			chunk, in := s.find(int(row))
			k := &s.all[chunk]
			copy(dst[(lo+i)*width:][:width], k.Values[(k.Offset+in)*width:])
		}
	}
}

func (s *chunks) gatherBits(dst []byte, rows []uint32, is func(k *keyencode.Chunk, in int) bool) func(lo, hi int) {
	return func(lo, hi int) {
		clear(dst[lo/8 : (hi+7)/8])
		for i := lo; i < hi; i++ {
			if chunk, in := s.find(int(rows[i])); is(&s.all[chunk], in) {
				dst[i>>3] |= 1 << (i & 7)
			}
		}
	}
}

// gatherValidity counts the nulls, and makes a bitmap if there are any.
func (s *chunks) gatherValidity(w *Workers, mem *arena.Arena, rows []uint32, out *engine.Column) (err error) {
	nulls := make([]int, (len(rows)+GatherTile-1)/GatherTile)
	err = w.Tiles(len(rows), GatherTile, func(lo, hi int) {
		for _, row := range rows[lo:hi] {
			if chunk, in := s.find(int(row)); !valid(&s.all[chunk], in) {
				nulls[lo/GatherTile]++
			}
		}
	})
	for _, n := range nulls {
		out.Nulls += n
	}
	if out.Nulls == 0 || err != nil {
		return err
	}
	if out.Validity, err = mem.Bytes((len(rows) + 7) / 8); err != nil {
		return err
	}
	return w.Tiles(len(rows), GatherTile, s.gatherBits(out.Validity, rows, valid))
}
