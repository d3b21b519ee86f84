package host

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// stringTile is the number of rows that one thread gathers at a time; a multiple of 64, so that no two threads write to the same
// word of a bitmap.
const stringTile = 1 << 14

// A stringColumn finds the strings of a column of Binary or LargeBinary by row.
type stringColumn[T int32 | int64] struct {
	chunks  []keyencode.Chunk
	offsets [][]T
	starts  []int // the first row of each chunk, and the number of all rows
}

func newStringColumn[T int32 | int64](c *keyencode.Column) *stringColumn[T] {
	s := &stringColumn[T]{starts: []int{0}}
	for _, k := range c.Chunks {
		if k.Rows > 0 {
			s.chunks = append(s.chunks, k)
			s.offsets = append(s.offsets, View[T](k.Values)[k.Offset:])
			s.starts = append(s.starts, s.starts[len(s.starts)-1]+k.Rows)
		}
	}
	return s
}

// at is the string of a row; ok is false for null, whose bytes are not looked at.
func (s *stringColumn[T]) at(row int) (text []byte, ok bool) {
	i := 0
	if len(s.chunks) > 1 {
		i, _ = slices.BinarySearch(s.starts, row+1)
		i--
	}
	k, in := &s.chunks[i], row-s.starts[i]
	if k.Validity != nil {
		if bit := k.Offset + in; k.Validity[bit>>3]>>(bit&7)&1 == 0 {
			return nil, false
		}
	}
	lo, hi := s.offsets[i][in], s.offsets[i][in+1]
	if lo == hi {
		return nil, true
	}
	return k.Data[0][lo:hi], true
}

// GatherStrings gathers rows of a column of Binary or LargeBinary into buffers of the allocator. Nulls get no bytes.
func GatherStrings(w *Workers, b *Buffers, c *keyencode.Column, rows []uint32) (engine.Column, error) {
	if len(rows) == 0 {
		return engine.Column{}, nil
	}
	if c.Kind == keyencode.Binary {
		return gatherStrings[int32](w, b, newStringColumn[int32](c), rows)
	}
	return gatherStrings[int64](w, b, newStringColumn[int64](c), rows)
}

// A stringShare is what is known of a tile of rows before their bytes are copied.
type stringShare struct{ start, bytes, nulls int }

func gatherStrings[T int32 | int64](w *Workers, b *Buffers, s *stringColumn[T], rows []uint32) (out engine.Column, err error) {
	shares := make([]stringShare, (len(rows)+stringTile-1)/stringTile)
	err = w.Tiles(len(rows), stringTile, func(lo, hi int) { shares[lo/stringTile] = s.measure(rows[lo:hi]) })
	if err != nil {
		return out, err
	}
	total := 0
	for i := range shares {
		shares[i].start, total = total, total+shares[i].bytes
		out.Nulls += shares[i].nulls
	}
	size := int(unsafe.Sizeof(T(0)))
	if size == 4 && total > math.MaxInt32 {
		return out, fmt.Errorf("%w: %d bytes", engine.ErrOffsets, total)
	}
	if out.Values, err = b.Bytes((len(rows) + 1) * size); err != nil {
		return out, err
	}
	if out.Data, err = b.Bytes(total); err != nil {
		return out, err
	}
	if out.Nulls > 0 {
		if out.Validity, err = b.Bytes((len(rows) + 7) / 8); err != nil {
			return out, err
		}
	}
	offsets := View[T](out.Values)
	offsets[0] = 0
	err = w.Tiles(len(rows), stringTile, func(lo, hi int) {
		s.write(out.Data, offsets[lo+1:hi+1], shares[lo/stringTile].start, rows[lo:hi])
		if out.Validity != nil {
			s.writeValidity(out.Validity[lo/8:(hi+7)/8], rows[lo:hi])
		}
	})
	return out, err
}

func (s *stringColumn[T]) measure(rows []uint32) (share stringShare) {
	for _, row := range rows {
		text, ok := s.at(int(row))
		share.bytes += len(text)
		if !ok {
			share.nulls++
		}
	}
	return share
}

// write copies the bytes of rows to data from start on, and the offset behind each.
func (s *stringColumn[T]) write(data []byte, offsets []T, start int, rows []uint32) {
	for i, row := range rows {
		text, _ := s.at(int(row))
		start += copy(data[start:], text)
		offsets[i] = T(start)
	}
}

func (s *stringColumn[T]) writeValidity(bitmap []byte, rows []uint32) {
	clear(bitmap)
	for i, row := range rows {
		if _, ok := s.at(int(row)); ok {
			bitmap[i>>3] |= 1 << (i & 7)
		}
	}
}
