package keyencode

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// blockRows is how many rows are worked on at a time: their codes fit in the first-level cache.
const blockRows = 1024

// A reader finds the rows of a column in its chunks.
type reader struct {
	column *Column
	starts []int // the first row of each chunk, and the number of rows
}

func newReader(c *Column) reader {
	starts := make([]int, len(c.Chunks)+1)
	for i := range c.Chunks {
		starts[i+1] = starts[i] + c.Chunks[i].Rows
	}
	return reader{c, starts}
}

// find is the chunk that holds a row.
func (r *reader) find(row int) int {
	return sort.Search(len(r.starts)-1, func(i int) bool { return r.starts[i+1] > row })
}

// each calls f for the pieces of rows lo..hi-1 that lie in one chunk, at most blockRows long: piece rows from row at of the
// chunk on are rows row.. of the column.
func (r *reader) each(lo, hi int, f func(c *Chunk, at, n, row int)) {
	if lo >= hi {
		return
	}
	for i := r.find(lo); lo < hi; i++ {
		end := min(hi, r.starts[i+1])
		for lo < end {
			n := min(end-lo, blockRows)
			f(&r.column.Chunks[i], lo-r.starts[i], n, lo)
			lo += n
		}
	}
}

// A block is up to blockRows rows of one key column, in place or gathered.
type block struct {
	kind     Kind
	width    int
	values   []byte
	at       int // the first row in values
	validity []byte
	bit      int
	rows     int
	ranks    []uint32
}

func (r *reader) block(c *Chunk, at, n int) block {
	i := c.Offset + at
	return block{kind: r.column.Kind, width: r.column.ValueBytes(), values: c.Values, at: i, validity: c.Validity, bit: i, rows: n, ranks: c.Ranks}
}

// gatherRows is how many rows are gathered at a time.
const gatherRows = 256

// A gathered block holds copies of rows from anywhere in a column.
type gathered struct {
	values   [gatherRows * 32]byte
	validity [gatherRows / 8]byte
}

// gather copies rows of fixed width. Dictionary rows become their ranks, booleans bytes.
func (g *gathered) gather(r *reader, rows []uint32) block {
	b := block{kind: r.column.Kind, width: r.column.ValueBytes(), rows: len(rows)}
	switch {
	case b.kind == Bool:
		b.kind, b.width = Uint8, 1
	case b.kind.isDictionary():
		b.kind, b.width = Uint32, 4
	}
	clear(g.validity[:])
	var chunk *Chunk
	var start, end, nulls int
	for i, row := range rows {
		row := int(row)
		if row < start || row >= end {
			k := r.find(row)
			chunk, start, end = &r.column.Chunks[k], r.starts[k], r.starts[k+1]
		}
		if g.copyRow(r.column.Kind, b.width, chunk, chunk.Offset+row-start, i) {
			g.validity[i>>3] |= 1 << (i & 7)
		} else {
			nulls++
		}
	}
	b.values = g.values[:len(rows)*b.width]
	if nulls > 0 {
		b.validity = g.validity[:]
	}
	return b
}

// copyRow copies the value at position at of a chunk and reports whether it is one, not null.
func (g *gathered) copyRow(kind Kind, width int, c *Chunk, at, i int) bool {
	dst := g.values[i*width : (i+1)*width]
	if c.Validity != nil && !bitAt(c.Validity, at) {
		clear(dst)
		return false
	}
	switch {
	case kind == Bool:
		dst[0] = c.Values[at>>3] >> (at & 7) & 1
	case kind.isDictionary():
		rank := c.Ranks[indexAt(kind, c.Values, at)]
		binary.LittleEndian.PutUint32(dst, rank-1)
		return rank != 0
	case width == 8:
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(c.Values[at*8:]))
	default:
		copy(dst, c.Values[at*width:])
	}
	return true
}

// indexAt is the dictionary index at position at.
func indexAt(kind Kind, values []byte, at int) uint64 {
	switch kind {
	case Dictionary8:
		return uint64(values[at])
	case Dictionary16:
		return uint64(binary.LittleEndian.Uint16(values[at*2:]))
	case Dictionary32:
		return uint64(binary.LittleEndian.Uint32(values[at*4:]))
	}
	return binary.LittleEndian.Uint64(values[at*8:])
}

// bigEndian reads up to 8 bytes as a number.
func bigEndian(b []byte) uint64 {
	if len(b) >= 8 {
		return bits.ReverseBytes64(binary.LittleEndian.Uint64(b))
	}
	u := uint64(0)
	for _, x := range b {
		u = u<<8 | uint64(x)
	}
	return u
}
