package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// blockRows is the number of rows that are encoded at a time: their codes stay in the L1 cache.
const blockRows = 1024

var (
	blocksOfRows  workers.Reused[[blockRows]uint32]
	blocksOfCodes workers.Reused[[blockRows]uint64]
)

// A source makes the codes of numbered rows: rows of the input, rows selected from it, rows that the partition has
// moved.
type source interface {
	// encode writes the leading words of rows lo..lo+len(dst)-1; at most blockRows at a time.
	encode(dst []uint64, lo int)
	// EncodeRows writes one word of each of the given rows. It may overwrite rows.
	EncodeRows(dst []uint64, word int, rows []uint32)
	// from is the source without its first rows: its row 0 is row base.
	from(base int) source
}

// encodeAll is encode for any number of rows.
func encodeAll(src source, dst []uint64, lo int) {
	for len(dst) > 0 {
		n := min(len(dst), blockRows)
		src.encode(dst[:n], lo)
		dst, lo = dst[n:], lo+n
	}
}

// planned are the rows of a plan's columns from row base on.
type planned struct {
	plan *keyencode.Plan
	base int
}

func (s planned) encode(dst []uint64, lo int) { s.plan.Encode(dst, s.base+lo) }

func (s planned) EncodeRows(dst []uint64, word int, rows []uint32) {
	if s.base > 0 {
		for i := range rows {
			rows[i] += uint32(s.base)
		}
	}
	s.plan.EncodeRows(dst, word, rows)
}

func (s planned) from(base int) source { return planned{s.plan, s.base + base} }

// selected are listed rows of another source, which tie in all words before word: word is their leading one.
type selected struct {
	src  source
	rows []uint32
	word int
}

func (s selected) encode(dst []uint64, lo int) {
	rows := blocksOfRows.Get()
	s.src.EncodeRows(dst, s.word, rows[:copy(rows[:], s.rows[lo:lo+len(dst)])])
	blocksOfRows.Put(rows)
}

func (s selected) EncodeRows(dst []uint64, word int, rows []uint32) {
	for i, r := range rows {
		rows[i] = s.rows[r]
	}
	s.src.EncodeRows(dst, s.word+word, rows)
}

func (s selected) from(base int) source { return selected{s.src, s.rows[base:], s.word} }

// storedCodes are rows that the partition has moved with their leading words and, when rows may tie in those, with what
// their further words are made from: strings, or row numbers (4 or 8 bytes wide) in a source.
type storedCodes struct {
	words []uint64
	texts *movedTexts
	rows4 []uint32
	rows8 []uint64
	src   source
}

func (s storedCodes) encode(dst []uint64, lo int) { copy(dst, s.words[lo:]) }

func (s storedCodes) EncodeRows(dst []uint64, word int, rows []uint32) {
	if word == 0 {
		for i, r := range rows {
			dst[i] = s.words[r]
		}
		return
	}
	if s.texts != nil {
		s.texts.encodeRows(dst, word, rows)
		return
	}
	for i, r := range rows {
		if s.rows4 != nil {
			rows[i] = s.rows4[r]
		} else {
			rows[i] = uint32(s.rows8[r])
		}
	}
	s.src.EncodeRows(dst, word, rows)
}

func (s storedCodes) from(base int) source {
	s.words = s.words[base:]
	if s.texts != nil {
		s.texts = &movedTexts{s.texts.plan, s.texts.columns, s.texts.base + base}
	}
	if s.rows4 != nil {
		s.rows4 = s.rows4[base:]
	}
	if s.rows8 != nil {
		s.rows8 = s.rows8[base:]
	}
	return s
}

// pieces are ranges of rows of another source, one after another.
type pieces struct {
	src    source
	first  []uint32 // row of each piece
	starts []uint32 // row of each piece here, and the number of rows
	base   uint32
}

// find is the piece that holds a row.
func (p pieces) find(row uint32) int {
	i, _ := slices.BinarySearch(p.starts, row+1) // after empty pieces
	return i - 1
}

func (p pieces) encode(dst []uint64, lo int) {
	row := p.base + uint32(lo)
	for i := p.find(row); len(dst) > 0; i++ {
		n := min(len(dst), int(p.starts[i+1]-row))
		if n > 0 {
			p.src.encode(dst[:n], int(p.first[i]+row-p.starts[i]))
			dst, row = dst[n:], row+uint32(n)
		}
	}
}

func (p pieces) EncodeRows(dst []uint64, word int, rows []uint32) {
	for k, r := range rows {
		row := p.base + r
		i := p.find(row)
		rows[k] = p.first[i] + row - p.starts[i]
	}
	p.src.EncodeRows(dst, word, rows)
}

func (p pieces) from(base int) source {
	p.base += uint32(base)
	return p
}
