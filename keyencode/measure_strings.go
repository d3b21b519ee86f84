package keyencode

import (
	"bytes"
	"math"
)

// A stringRange is the least and the greatest of some strings, borrowed.
type stringRange struct {
	least, greatest []byte
	low, high       uint64 // their first 8 bytes after the words that all strings share: they decide most comparisons
	minLen, maxLen  int
	zeroEnd         bool
	varying         varyingBytes
}

// add takes some strings in and counts the nulls among them.
func (t *stringRange) add(batch [][]byte) (nulls int) {
	t.varying.trim()
	for _, s := range batch {
		if s == nil {
			nulls++
			continue
		}
		n := len(s)
		if n < t.minLen {
			t.shorten(s)
		}
		if t.varying.add(s) {
			t.compareFrom()
		}
		if w := bytesFrom(s, 8*t.varying.same); w <= t.low || w >= t.high {
			t.widen(s)
		}
		t.maxLen = max(t.maxLen, n)
		if n > 0 && s[n-1] == 0 {
			t.zeroEnd = true
		}
	}
	return nulls
}

// shorten takes in that a string is the first one, or shorter than all before.
func (t *stringRange) shorten(s []byte) {
	t.minLen = len(s)
	if t.least == nil {
		t.least, t.greatest = s, s
		t.varying.begin(s)
	}
	t.varying.shorten(s)
	t.compareFrom()
}

// compareFrom finds the bytes of the least and the greatest string that decide.
func (t *stringRange) compareFrom() {
	from := 8 * t.varying.same
	t.low, t.high = bytesFrom(t.least, from), bytesFrom(t.greatest, from)
}

// widen compares in full a string whose first 8 bytes do not decide.
func (t *stringRange) widen(s []byte) {
	if bytes.Compare(s, t.least) < 0 {
		t.least = s
	}
	if bytes.Compare(s, t.greatest) > 0 {
		t.greatest = s
	}
	t.compareFrom()
}

func measureStrings(s *Statistics, r *reader, lo, hi int) {
	var t stringBlock
	var last []byte
	span := stringRange{minLen: math.MaxInt}
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
		s.Same = span.varying.sameBytes()
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
