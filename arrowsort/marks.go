package arrowsort

import (
	"context"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// markRows is the number of rows that one worker handles at a time.
const markRows = 1 << 16

// marks are a bit for each row: 1/8 byte per row.
type marks struct {
	rows  int
	words []uint64
	tiles []markTile // after index
	mem   memory.Allocator
	buf   []byte
}

// A markTile is the markRows rows from a multiple of markRows on.
type markTile struct {
	before   int // marked rows before the tile
	previous int // the last of them, -1 for none
	next     int // the first marked row after the tile; the number of rows for none
}

// newMarks allocates marks of undefined content.
func newMarks(rows int, mem memory.Allocator) (*marks, error) {
	buf, err := engine.Allocate(mem, (rows+63)/64*8)
	if err != nil {
		return nil, err
	}
	return &marks{rows: rows, words: arrow.Uint64Traits.CastFromBytes(buf), mem: mem, buf: buf}, nil
}

func (m *marks) release() {
	if m.buf != nil {
		m.mem.Free(m.buf)
		m.buf = nil
	}
}

// each runs f for every tile, whose rows are lo..hi-1.
func (m *marks) each(ctx context.Context, threads int, f func(tile, lo, hi int)) error {
	return workers.Each(ctx, (m.rows+markRows-1)/markRows, threads, func(tile int) error {
		f(tile, tile*markRows, min(m.rows, (tile+1)*markRows))
		return nil
	})
}

// index counts the marks, for what follows, and returns their number.
func (m *marks) index(ctx context.Context, threads int) (int, error) {
	type ends struct{ count, first, last int }
	found := make([]ends, (m.rows+markRows-1)/markRows)
	err := m.each(ctx, threads, func(tile, lo, hi int) {
		e := ends{first: -1, last: -1}
		for i := lo / 64; i < (hi+63)/64; i++ {
			w := m.word(i)
			if w == 0 {
				continue
			}
			if e.first < 0 {
				e.first = i*64 + bits.TrailingZeros64(w)
			}
			e.count, e.last = e.count+bits.OnesCount64(w), i*64+63-bits.LeadingZeros64(w)
		}
		found[tile] = e
	})
	m.tiles = make([]markTile, len(found))
	count, last, first := 0, -1, m.rows
	for t, e := range found {
		m.tiles[t].before, m.tiles[t].previous = count, last
		count, last = count+e.count, max(last, e.last)
	}
	for t := len(found) - 1; t >= 0; t-- {
		m.tiles[t].next = first
		if found[t].count > 0 {
			first = found[t].first
		}
	}
	return count, err
}

// word returns the marks of rows 64i to 64i+63, without those of rows that there are not.
func (m *marks) word(i int) uint64 {
	if left := m.rows - i*64; left < 64 {
		return m.words[i] & (1<<left - 1)
	}
	return m.words[i]
}

// list writes the numbers of the marked rows or, when rows are given, the rows at the marked places.
func (m *marks) list(ctx context.Context, threads int, dst []uint64, rows []uint32) error {
	return m.each(ctx, threads, func(tile, lo, hi int) {
		at := m.tiles[tile].before
		for i := lo / 64; i < (hi+63)/64; i++ {
			for w := m.word(i); w != 0; w &= w - 1 {
				row := uint64(i*64 + bits.TrailingZeros64(w))
				if rows != nil {
					row = uint64(rows[row])
				}
				dst[at] = row
				at++
			}
		}
	})
}

// eachGroup calls f for the rows lo..hi-1 that each group has in a tile, where a group is a marked row and the rows up
// to the next one. The whole group is rows first..end-1; groups are numbered from 1.
func (m *marks) eachGroup(lo, hi int, f func(lo, hi, first, end, number int)) {
	tile := &m.tiles[lo/markRows]
	first, number := tile.previous, tile.before
	for lo < hi {
		if m.words[lo/64]>>(lo%64)&1 != 0 {
			first, number = lo, number+1
		}
		next := cpu.NextMark(m.words, lo+1, hi)
		end := next
		if next == hi {
			end = tile.next
		}
		f(lo, next, first, end, number)
		lo = next
	}
}
