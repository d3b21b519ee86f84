// Package keys makes the codes of rows: it plans them, by statistics or a sample, encodes strings of which few are
// distinct by dictionaries, and compares and searches rows by their codes.
package keys

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// BlockRows is the number of rows that are encoded at a time: their codes stay in the L1 cache.
const BlockRows = 1024

var (
	blocksOfRows  workers.Reused[[BlockRows]uint32]
	blocksOfCodes workers.Reused[[BlockRows]uint64]
)

// A Source returns the code of a row by its number. Rows may be those of the input, a list of them, or the rows of a
// partition.
type Source interface {
	// Encode writes the leading words of rows lo..lo+len(dst)-1; at most BlockRows at a time.
	Encode(dst []uint64, lo int)
	// EncodeRows writes one word of each of the given rows. It may overwrite rows.
	EncodeRows(dst []uint64, word int, rows []uint32)
	// From is the source without its first rows: its row 0 is row base.
	From(base int) Source
}

// EncodeAll is Encode for any number of rows.
func EncodeAll(src Source, dst []uint64, lo int) {
	for len(dst) > 0 {
		n := min(len(dst), BlockRows)
		src.Encode(dst[:n], lo)
		dst, lo = dst[n:], lo+n
	}
}

// inputRows are the rows of a plan's columns from row base on.
type inputRows struct {
	plan *keyencode.Plan
	base int
}

// NewInput returns the rows of the columns of a plan.
func NewInput(plan *keyencode.Plan) Source { return inputRows{plan: plan} }

func (s inputRows) Encode(dst []uint64, lo int) { s.plan.Encode(dst, s.base+lo) }

func (s inputRows) EncodeRows(dst []uint64, word int, rows []uint32) {
	if s.base > 0 {
		for i := range rows {
			rows[i] += uint32(s.base)
		}
	}
	s.plan.EncodeRows(dst, word, rows)
}

func (s inputRows) From(base int) Source { return inputRows{s.plan, s.base + base} }

// listedRows are listed rows of another source, which tie in all words before word: word is their leading one.
type listedRows struct {
	src  Source
	rows []uint32
	word int
}

// NewList returns listed rows of a source, which tie in all words before word.
func NewList(src Source, rows []uint32, word int) Source { return listedRows{src, rows, word} }

func (s listedRows) Encode(dst []uint64, lo int) {
	rows := blocksOfRows.Get()
	s.src.EncodeRows(dst, s.word, rows[:copy(rows[:], s.rows[lo:lo+len(dst)])])
	blocksOfRows.Put(rows)
}

func (s listedRows) EncodeRows(dst []uint64, word int, rows []uint32) {
	for i, r := range rows {
		rows[i] = s.rows[r]
	}
	s.src.EncodeRows(dst, s.word+word, rows)
}

func (s listedRows) From(base int) Source { return listedRows{s.src, s.rows[base:], s.word} }

// rangesOfRows are ranges of rows of another source, one after another.
type rangesOfRows struct {
	src    Source
	first  []uint32 // row of each range
	starts []uint32 // row of each range here, and the number of rows
	base   uint32
}

// NewRanges returns the rows first[i]..end[i]-1 of a source, one range after another.
func NewRanges(src Source, first, end []uint32) Source {
	p := rangesOfRows{src: src, first: first, starts: make([]uint32, len(first)+1)}
	for i, lo := range first {
		p.starts[i+1] = p.starts[i] + end[i] - lo
	}
	return p
}

// find returns the range that holds a row.
func (p rangesOfRows) find(row uint32) int {
	i, _ := slices.BinarySearch(p.starts, row+1) // after empty ranges
	return i - 1
}

func (p rangesOfRows) Encode(dst []uint64, lo int) {
	row := p.base + uint32(lo)
	for i := p.find(row); len(dst) > 0; i++ {
		n := min(len(dst), int(p.starts[i+1]-row))
		if n > 0 {
			p.src.Encode(dst[:n], int(p.first[i]+row-p.starts[i]))
			dst, row = dst[n:], row+uint32(n)
		}
	}
}

func (p rangesOfRows) EncodeRows(dst []uint64, word int, rows []uint32) {
	for k, r := range rows {
		row := p.base + r
		i := p.find(row)
		rows[k] = p.first[i] + row - p.starts[i]
	}
	p.src.EncodeRows(dst, word, rows)
}

func (p rangesOfRows) From(base int) Source {
	p.base += uint32(base)
	return p
}
