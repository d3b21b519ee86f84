package cpu

import (
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A bound asks where a row belongs among the rows of a run that is in order. Rows lo..hi-1 of the run are those that
// tie with it in all words before word.
type bound struct {
	row, lo, hi uint32
	word        int
}

// side is the first place among the rows that tie, or the last one.
func (b *bound) side(right bool) uint64 {
	if right {
		return uint64(b.hi)
	}
	return uint64(b.lo)
}

// boundsBatch is the number of bounds that are searched together: their cache misses overlap.
const boundsBatch = 256

// narrow moves lo..hi-1 of each bound to the rows that tie with its row in all words, an empty range where it would be
// inserted when none do.
func narrow(p *workers.Pool, plan *keyencode.Plan, src source, bounds []bound) {
	batch := boundSearches.Get()
	defer batch.release()
	for ; len(bounds) > 0 && !p.Stopped(); bounds = bounds[min(boundsBatch, len(bounds)):] {
		batch.plan, batch.src = plan, src
		batch.all = bounds[:min(boundsBatch, len(bounds))]
		for batch.next() && !p.Stopped() {
			batch.narrow()
		}
	}
}

// A boundSearch narrows bounds by one word at a time.
type boundSearch struct {
	plan  *keyencode.Plan
	src   source
	all   []bound
	word  int
	count int // of the bounds that are narrowed by word

	at     [boundsBatch]uint16 // these bounds, by position in all
	values [boundsBatch]uint64 // their words
	lo, hi [boundsBatch]uint32
	codes  [boundsBatch]uint64
	rows   [boundsBatch]uint32
	open   [boundsBatch]uint16
}

var boundSearches workers.Reused[boundSearch]

// release keeps the search for another call, without what belongs to this one.
func (s *boundSearch) release() {
	s.plan, s.src, s.all = nil, nil, nil
	boundSearches.Put(s)
}

// next lists the bounds of the least word that is still to be looked at.
func (s *boundSearch) next() bool {
	s.word, s.count = s.plan.Words(), 0
	for i := range s.all {
		b := &s.all[i]
		if b.lo == b.hi || b.word > s.word || b.word >= s.plan.Words() {
			continue
		}
		if b.word < s.word {
			s.word, s.count = b.word, 0
		}
		s.at[s.count] = uint16(i)
		s.count++
	}
	return s.count > 0
}

// narrow keeps of each listed bound the rows that tie in the word.
func (s *boundSearch) narrow() {
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		s.rows[i], s.lo[i], s.hi[i] = b.row, b.lo, b.hi
	}
	s.src.EncodeRows(s.values[:s.count], s.word, s.rows[:s.count])
	s.bisect(func(code, value uint64) bool { return code < value })
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		b.lo = s.lo[i]
		s.hi[i] = b.hi
	}
	s.bisect(func(code, value uint64) bool { return code <= value })
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		b.hi = s.lo[i]
		b.word = s.plan.Next(s.word, s.values[i])
	}
}

// bisect moves lo, and hi with it, to after the rows that precede the value.
func (s *boundSearch) bisect(before func(code, value uint64) bool) {
	for {
		n := 0
		for i := range s.count {
			if s.lo[i] < s.hi[i] {
				s.rows[n], s.open[n] = s.lo[i]+(s.hi[i]-s.lo[i])/2, uint16(i)
				n++
			}
		}
		if n == 0 {
			return
		}
		s.src.EncodeRows(s.codes[:n], s.word, s.rows[:n])
		for k, i := range s.open[:n] {
			middle := s.lo[i] + (s.hi[i]-s.lo[i])/2
			if before(s.codes[k], s.values[i]) {
				s.lo[i] = middle + 1
			} else {
				s.hi[i] = middle
			}
		}
	}
}

// bisectWords replaces leading words of values by what is asked for of them among rows lo..hi-1, counted from row lo.
func bisectWords(src source, words []uint64, lo, hi int, asked sides) {
	s := boundSearches.Get()
	defer s.release()
	s.src = src
	for ; len(words) > 0; words = words[s.count:] {
		s.count = copy(s.values[:], words)
		clear(words[:s.count])
		for _, right := range asked {
			for i := range s.count {
				s.lo[i], s.hi[i] = uint32(lo), uint32(hi)
			}
			s.bisect(func(code, value uint64) bool { return code < value || right && code == value })
			for i, row := range s.lo[:s.count] {
				words[i] = words[i]<<32 | uint64(row-uint32(lo))
			}
		}
	}
}
