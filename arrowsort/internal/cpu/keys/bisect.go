package keys

import (
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An Interval holds the rows Lo..Hi-1 of a sorted run among which a row belongs; searching narrows it. They tie with
// the row in all words before Word.
type Interval struct {
	Row, Lo, Hi uint32
	Word        int
}

// End returns the first place among the rows that tie, or the last one.
func (b *Interval) End(right bool) uint64 {
	if right {
		return uint64(b.Hi)
	}
	return uint64(b.Lo)
}

// Bounds are those to return for each value: lower (false) is the number of rows below it, upper (true) of rows not
// above it. Of two bounds, the first one is in the upper 32 bits of a word.
type Bounds []bool

// BatchRows is the number of rows that are searched for together: their cache misses overlap.
const BatchRows = 256

// Narrow narrows Lo..Hi-1 of each interval to the rows that tie with its row in all words, an empty range where it
// would be inserted when none do.
func Narrow(p *workers.Pool, plan *keyencode.Plan, src Source, intervals []Interval) {
	batch := intervalSearches.Get()
	defer batch.release()
	for ; len(intervals) > 0 && !p.Stopped(); intervals = intervals[min(BatchRows, len(intervals)):] {
		batch.plan, batch.src = plan, src
		batch.all = intervals[:min(BatchRows, len(intervals))]
		for batch.next() && !p.Stopped() {
			batch.narrow()
		}
	}
}

// An intervalSearch narrows intervals by one word at a time.
type intervalSearch struct {
	plan  *keyencode.Plan
	src   Source
	all   []Interval
	word  int
	count int // of the intervals that are narrowed by word

	at     [BatchRows]uint16 // these intervals, by position in all
	values [BatchRows]uint64 // their words
	lo, hi [BatchRows]uint32
	codes  [BatchRows]uint64
	rows   [BatchRows]uint32
	open   [BatchRows]uint16
}

var intervalSearches workers.Reused[intervalSearch]

// release keeps the search for another call, without what belongs to this one.
func (s *intervalSearch) release() {
	s.plan, s.src, s.all = nil, nil, nil
	intervalSearches.Put(s)
}

// next lists the intervals of the least word that is still to be compared.
func (s *intervalSearch) next() bool {
	s.word, s.count = s.plan.Words(), 0
	for i := range s.all {
		b := &s.all[i]
		if b.Lo == b.Hi || b.Word > s.word || b.Word >= s.plan.Words() {
			continue
		}
		if b.Word < s.word {
			s.word, s.count = b.Word, 0
		}
		s.at[s.count] = uint16(i)
		s.count++
	}
	return s.count > 0
}

// narrow keeps of each listed interval the rows that tie in the word.
func (s *intervalSearch) narrow() {
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		s.rows[i], s.lo[i], s.hi[i] = b.Row, b.Lo, b.Hi
	}
	s.src.EncodeRows(s.values[:s.count], s.word, s.rows[:s.count])
	s.bisect(func(code, value uint64) bool { return code < value })
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		b.Lo = s.lo[i]
		s.hi[i] = b.Hi
	}
	s.bisect(func(code, value uint64) bool { return code <= value })
	for i, at := range s.at[:s.count] {
		b := &s.all[at]
		b.Hi = s.lo[i]
		b.Word = s.plan.Next(s.word, s.values[i])
	}
}

// bisect moves lo, and hi with it, to after the rows that precede the value.
func (s *intervalSearch) bisect(before func(code, value uint64) bool) {
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

// BisectWords replaces leading words of values by their bounds among rows lo..hi-1, counted from row lo.
func BisectWords(src Source, words []uint64, lo, hi int, bounds Bounds) {
	s := intervalSearches.Get()
	defer s.release()
	s.src = src
	for ; len(words) > 0; words = words[s.count:] {
		s.count = copy(s.values[:], words)
		clear(words[:s.count])
		for _, right := range bounds {
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
