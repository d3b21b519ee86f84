package host

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A stringColumn finds the strings of a column of Binary or LargeBinary by row.
type stringColumn[T int32 | int64] struct {
	chunks
	offsets [][]T
}

func newStringColumn[T int32 | int64](c *keyencode.Column) *stringColumn[T] {
	s := &stringColumn[T]{chunks: newChunks(c)}
	for _, k := range s.all {
		var offsets []T
		if k.Rows > 0 {
			offsets = buffers.View[T](k.Values)[k.Offset:]
		}
		s.offsets = append(s.offsets, offsets)
	}
	return s
}

// at returns the string of a row; null has no bytes, whatever its offsets are.
func (s *stringColumn[T]) at(row int) []byte {
	chunk, in := s.find(row)
	k := &s.all[chunk]
	lo, hi := s.offsets[chunk][in], s.offsets[chunk][in+1]
	if lo == hi || !valid(k, in) {
		return nil
	}
	return k.Data[0][lo:hi]
}

// GatherStrings gathers rows of a column of Binary or LargeBinary into buffers of the allocator. Nulls get no bytes.
func GatherStrings(w *Workers, mem *arena.Arena, c *keyencode.Column, rows []uint32) (engine.Column, error) {
	if len(rows) == 0 {
		return engine.Column{}, nil
	}
	if c.Kind == keyencode.Binary {
		return gatherStrings[int32](w, mem, newStringColumn[int32](c), rows)
	}
	return gatherStrings[int64](w, mem, newStringColumn[int64](c), rows)
}

func gatherStrings[T int32 | int64](w *Workers, mem *arena.Arena, s *stringColumn[T], rows []uint32) (out engine.Column,
	err error) {
	starts := make([]int, (len(rows)+GatherTile-1)/GatherTile) // where the bytes of each tile begin
	err = w.Tiles(len(rows), GatherTile, func(lo, hi int) { starts[lo/GatherTile] = s.measure(rows[lo:hi]) })
	if err != nil {
		return out, err
	}
	total := buffers.PrefixSum(starts)
	size := int(unsafe.Sizeof(T(0)))
	if size == 4 && total > math.MaxInt32 {
		return out, fmt.Errorf("%w: %d bytes", engine.ErrOffsets, total)
	}
	if out.Values, err = mem.Bytes((len(rows) + 1) * size); err != nil {
		return out, err
	}
	if out.Data, err = mem.Bytes(total); err != nil {
		return out, err
	}
	offsets, data := buffers.View[T](out.Values), out.Data
	offsets[0] = 0
	err = w.Tiles(len(rows), GatherTile, func(lo, hi int) {
		at := starts[lo/GatherTile]
		for i, row := range rows[lo:hi] {
			at += copy(data[at:], s.at(int(row)))
			offsets[lo+1+i] = T(at)
		}
	})
	if err != nil {
		return out, err
	}
	return out, s.gatherValidity(w, mem, rows, &out)
}

func (s *stringColumn[T]) measure(rows []uint32) (bytes int) {
	for _, row := range rows {
		bytes += len(s.at(int(row)))
	}
	return bytes
}

// CopyStrings copies the strings of a column side by side, in the order of the rows: row i has the bytes from starts[i]
// to starts[i+1]. Nulls have none.
func CopyStrings(w *Workers, mem *arena.Arena, c *keyencode.Column) (starts []uint64, data []byte, err error) {
	if starts, err = arena.Slice[uint64](mem, c.Rows()+1); err != nil {
		return nil, nil, err
	}
	starts[0] = 0
	err = eachString(w, c, func(row int, s []byte) { starts[row+1] = uint64(len(s)) })
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	if err == nil {
		data, err = mem.Bytes(int(starts[len(starts)-1]))
	}
	if err == nil {
		err = eachString(w, c, func(row int, s []byte) { copy(data[starts[row]:], s) })
	}
	return starts, data, err
}

// eachString calls use for the string of each row, nil for null, on several threads.
func eachString(w *Workers, c *keyencode.Column, use func(row int, s []byte)) (err error) {
	first := 0
	for i := range c.Chunks {
		k, before := &c.Chunks[i], first
		first += k.Rows
		err = w.Tiles(k.Rows, GatherTile, func(lo, hi int) {
			var block [256][]byte
			for at := lo; at < hi; at += len(block) {
				strings := block[:min(len(block), hi-at)]
				c.Strings(strings, k, at)
				for j, s := range strings {
					use(before+at+j, s)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// FirstValid is the first row that is not null, 0 if all are.
func FirstValid(c *keyencode.Column) int {
	first := 0
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if k.Validity == nil && k.Rows > 0 {
			return first
		}
		for in := 0; in < k.Rows; in += 64 {
			ones := buffers.Bits(k.Validity, k.Offset+in) & buffers.LowBits(min(k.Rows-in, 64))
			if ones != 0 {
				return first + in + bits.TrailingZeros64(ones)
			}
		}
		first += k.Rows
	}
	return 0
}

// IsText reports whether a column holds strings, which have offsets.
func IsText(k keyencode.Kind) bool { return k == keyencode.Binary || k == keyencode.LargeBinary }

// OffsetBytes is the size of an offset.
func OffsetBytes(k keyencode.Kind) int {
	if k == keyencode.Binary {
		return 4
	}
	return 8
}

// TextRange is the range of a chunk's string bytes.
func TextRange(c *keyencode.Column, k *keyencode.Chunk) (begin, end int) {
	if c.Kind == keyencode.Binary {
		offsets := buffers.View[int32](k.Values)
		return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
	}
	offsets := buffers.View[int64](k.Values)
	return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
}

// TextBytes is the size of all strings of a column.
func TextBytes(c *keyencode.Column) (bytes int) {
	for _, k := range Filled(c) {
		begin, end := TextRange(c, &k)
		bytes += end - begin
	}
	return bytes
}

// Nullable reports whether a column has bitmaps: rows may be null.
func Nullable(c *keyencode.Column) bool {
	return slices.ContainsFunc(c.Chunks, func(k keyencode.Chunk) bool { return k.Rows > 0 && k.Validity != nil })
}

// Filled are the chunks that have rows.
func Filled(c *keyencode.Column) []keyencode.Chunk {
	return slices.DeleteFunc(slices.Clone(c.Chunks), func(k keyencode.Chunk) bool { return k.Rows == 0 })
}
