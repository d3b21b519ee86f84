package keyencode

import (
	"bytes"
	"math"
)

// A stringRange is the least and the greatest of some strings, borrowed.
type stringRange struct {
	least, greatest []byte
	low, high       uint64 // their first 8 bytes, which decide most comparisons
	minLen, maxLen  int
	zeroEnd         bool
}

// add takes some strings in and counts the nulls among them.
func (t *stringRange) add(batch [][]byte) (nulls int) {
	low, high, minLen, maxLen := t.low, t.high, t.minLen, t.maxLen
	for _, s := range batch {
		if s == nil {
			nulls++
			continue
		}
		n := len(s)
		if w := bytesFrom(s, 0); w <= low || w >= high {
			t.widen(s, w)
			low, high = t.low, t.high
		}
		minLen, maxLen = min(minLen, n), max(maxLen, n)
		if n > 0 && s[n-1] == 0 {
			t.zeroEnd = true
		}
	}
	t.minLen, t.maxLen = minLen, maxLen
	return nulls
}

// widen compares in full a string whose first 8 bytes do not decide.
func (t *stringRange) widen(s []byte, w uint64) {
	if t.least == nil || bytes.Compare(s, t.least) < 0 {
		t.least, t.low = s, w
	}
	if t.greatest == nil || bytes.Compare(s, t.greatest) > 0 {
		t.greatest, t.high = s, w
	}
}

func measureStrings(s *Statistics, r *reader, lo, hi int) {
	var t stringBlock
	var last []byte
	span := stringRange{low: ^uint64(0), minLen: math.MaxInt}
	s.Rows = hi - lo
	for from := lo; from < hi; from += gatherRows {
		r.each(from, min(from+gatherRows, hi), func(c *Chunk, at, n, row int) {
			t.load(r.column, c, at, n)
			s.Nulls += span.add(t[:n])
			if row == lo {
				s.first, last = stringDatum(t[0]), t[0]
				s.stepStrings(last, t[1:n])
			} else {
				s.stepStrings(last, t[:n])
			}
			last = t[n-1]
		})
	}
	s.last = stringDatum(last)
	if s.Values() > 0 {
		s.MinBytes, s.MaxBytes = string(span.least), string(span.greatest)
		s.MinLen, s.MaxLen, s.ZeroEnd = span.minLen, span.maxLen, span.zeroEnd
	}
}

// stepStrings notes how strings stand to their predecessors, as long as some order is possible.
func (s *Statistics) stepStrings(last []byte, batch [][]byte) {
	for _, x := range batch {
		if !s.ordered() {
			return
		}
		s.stepString(last, x)
		last = x
	}
}

func stringDatum(x []byte) datum {
	if x == nil {
		return datum{class: ClassNull}
	}
	return datum{str: string(x)}
}

// stepString is step for two strings, without copies of them.
func (s *Statistics) stepString(last, next []byte) {
	switch {
	case last != nil && next != nil:
		s.note(s.key.directed(bytes.Compare(next, last)))
	case next != nil:
		s.note(s.key.compareClasses(ClassValue, ClassNull))
	case last != nil:
		s.note(s.key.compareClasses(ClassNull, ClassValue))
	default:
		s.note(0)
	}
}
