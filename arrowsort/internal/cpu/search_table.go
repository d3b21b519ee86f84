package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// stripRows is the largest number of rows of a strip: cells count them in 16 bits, and an L2 cache holds their codes.
const stripRows = 1 << 16

// A sortedStrip is consecutive rows in order whose leading words lie in the cache, with what finds a place among them:
// a table of equal cells of the range of the words has the first row of each. The rows of a cell are then searched.
// There are as many cells as rows, or half as many, so that evenly spread words leave three or four levels to search;
// at worst, when all but a few words share one cell, a strip is searched as without a table.
type sortedStrip struct {
	codes  []uint64 // none where all rows have one word
	cells  []uint16
	rows   int
	window int // rows of the longest cell
	base   uint64
	top    uint64
	shift  uint
}

// newStrip returns a strip for up to rows rows.
func newStrip(mem *arena.Arena, rows int) (t *sortedStrip, err error) {
	t = new(sortedStrip)
	if t.codes, err = arena.Slice[uint64](mem, rows); err == nil {
		t.cells, err = arena.Slice[uint16](mem, rows+1)
	}
	return t, err
}

func (t *sortedStrip) release(mem *arena.Arena) {
	mem.Free(buffers.Bytes(t.codes[:cap(t.codes)]))
	mem.Free(buffers.Bytes(t.cells[:cap(t.cells)]))
}

// fill holds the words of rows lo..hi-1 of a source, which are in order; false when they are too many and not equal.
func (t *sortedStrip) fill(src source, lo, hi int) bool {
	t.rows, t.window = hi-lo, 0
	t.codes, t.cells = t.codes[:0], t.cells[:0]
	if t.rows == 0 {
		return true
	}
	var ends [2]uint64
	src.encode(ends[:1], lo)
	src.encode(ends[1:], hi-1)
	t.base, t.top = ends[0], ends[1]
	if t.base == t.top {
		return true
	}
	if t.rows > cap(t.codes) {
		return false
	}
	t.codes = t.codes[:t.rows]
	encodeAll(src, t.codes, lo)
	t.shift = uint(max(0, bits.Len64(t.top-t.base)-bits.Len(uint(t.rows))+1))
	t.cells = t.cells[:(t.top-t.base)>>t.shift+1]
	clear(t.cells)
	markCells(t.cells, t.codes, t.base, t.shift)
	t.window = firstRows(t.cells, t.rows)
	// A search looks at a window from the first row of a cell on, which must not leave the rows.
	for i := len(t.cells) - 1; int(t.cells[i])+t.window > t.rows; i-- {
		t.cells[i] = uint16(t.rows - t.window)
	}
	return true
}

// markCells writes the row after the last one of each cell, but of the last cell, to the cell after it.
//
//go:noinline
func markCells(cells []uint16, codes []uint64, base uint64, shift uint) {
	shift &= 63
	last := uint64(len(cells) - 1)
	for i, c := range codes {
		cell := (c - base) >> shift
		if cell >= last {
			return
		}
		cells[cell+1] = uint16(i + 1)
	}
}

// firstRows replaces the marks by the first row of each cell or of the cells after it, and returns the most rows of a
// cell.
func firstRows(cells []uint16, rows int) (window int) {
	last := uint16(0)
	longest := uint16(0)
	for i, row := range cells {
		row = max(row, last)
		longest = max(longest, row-last)
		cells[i], last = row, row
	}
	return max(int(longest), rows-int(last))
}

// search replaces words by what is asked for of them.
func (t *sortedStrip) search(words []uint64, asked sides) {
	var buffer, found [blockRows]uint64
	values := buffer[:copy(buffer[:], words)]
	if len(asked) == 1 {
		t.place(words, values, asked[0])
		return
	}
	clear(words)
	for _, right := range asked {
		t.place(found[:len(words)], values, right)
		for i, place := range found[:len(words)] {
			words[i] = words[i]<<32 | place
		}
	}
}

// place writes, for each value, the number of words that are below it, or with right not above it. It may change the
// values.
func (t *sortedStrip) place(places, values []uint64, right bool) {
	if !right {
		t.placeLeft(places, values)
		return
	}
	for i, v := range values { // equal to v or below is below v+1
		values[i] = v + 1
	}
	t.placeLeft(places, values)
	for i, v := range values {
		if v == 0 { // of math.MaxUint64
			places[i], values[i] = uint64(t.rows), math.MaxUint64
		}
	}
}

func (t *sortedStrip) placeLeft(places, values []uint64) {
	if len(t.codes) > 0 {
		searchCells(places, values, t)
		return
	}
	for i, v := range values {
		_, above := bits.Sub64(t.base, v, 0)
		places[i] = uint64(t.rows) & -above
	}
}

// searchCells searches four values side by side, without branches: one alone waits for its own loads.
//
//go:noinline
func searchCells(places, values []uint64, t *sortedStrip) {
	base, top, shift, window := t.base, t.top, t.shift&63, uint64(t.window)
	cells, codes := unsafe.Pointer(unsafe.SliceData(t.cells)), unsafe.Pointer(unsafe.SliceData(t.codes))
	places = places[:len(values)]
	first := func(v uint64) uint64 {
		return uint64(*(*uint16)(unsafe.Add(cells, (min(max(v, base), top)-base)>>shift*2)))
	}
	i := 0
	for ; i+4 <= len(values); i += 4 {
		v, out := (*[4]uint64)(values[i:]), (*[4]uint64)(places[i:])
		v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
		p0, p1, p2, p3 := first(v0), first(v1), first(v2), first(v3)
		for n := window; n > 0; {
			// The place is among p..p+n, and half is at most n: reads stay within the codes.
			half := (n + 1) / 2
			middle := unsafe.Add(codes, (half-1)*8)
			_, b0 := bits.Sub64(buffers.Load64(middle, p0), v0, 0)
			_, b1 := bits.Sub64(buffers.Load64(middle, p1), v1, 0)
			_, b2 := bits.Sub64(buffers.Load64(middle, p2), v2, 0)
			_, b3 := bits.Sub64(buffers.Load64(middle, p3), v3, 0)
			p0, p1, p2, p3 = p0+half&-b0, p1+half&-b1, p2+half&-b2, p3+half&-b3
			n -= half
		}
		out[0], out[1], out[2], out[3] = p0, p1, p2, p3
	}
	for ; i < len(values); i++ {
		v := values[i]
		p := first(v)
		for n := window; n > 0; {
			half := (n + 1) / 2
			_, below := bits.Sub64(buffers.Load64(unsafe.Add(codes, (half-1)*8), p), v, 0)
			p, n = p+half&-below, n-half
		}
		places[i] = p
	}
}
