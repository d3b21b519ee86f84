package keyencode

import "bytes"

// A textRange is the least and the greatest of some strings, borrowed.
type textRange struct {
	least, greatest []byte
	low, high       uint64 // their first windows, which settle most comparisons
	minLen, maxLen  int
	zeroEnd         bool
	seen            bool
}

func (t *textRange) add(s []byte) {
	w := window(s, 0)
	if !t.seen {
		*t = textRange{s, s, w, w, len(s), len(s), false, true}
	}
	if w <= t.low && bytes.Compare(s, t.least) < 0 {
		t.least, t.low = s, w
	}
	if w >= t.high && bytes.Compare(s, t.greatest) > 0 {
		t.greatest, t.high = s, w
	}
	t.minLen, t.maxLen = min(t.minLen, len(s)), max(t.maxLen, len(s))
	if len(s) > 0 && s[len(s)-1] == 0 {
		t.zeroEnd = true
	}
}

func measureTexts(s *Statistics, r *reader, lo, hi int) {
	var t texts
	var span textRange
	var last []byte
	for ; lo < hi; lo += gatherRows {
		r.each(lo, min(lo+gatherRows, hi), func(c *Chunk, at, n, _ int) {
			t.load(r.column, c, at, n)
			for _, x := range t[:n] {
				if x == nil {
					s.Nulls++
				} else {
					span.add(x)
				}
				if s.Rows == 0 {
					s.first = textDatum(x)
				} else if s.ordered() {
					s.stepText(last, x)
				}
				last = x
				s.Rows++
			}
		})
	}
	s.last = textDatum(last)
	s.MinBytes, s.MaxBytes = string(span.least), string(span.greatest)
	s.MinLen, s.MaxLen, s.ZeroEnd = span.minLen, span.maxLen, span.zeroEnd
}

func textDatum(x []byte) datum {
	if x == nil {
		return datum{class: ClassNull}
	}
	return datum{str: string(x)}
}

// stepText is step for two strings, without copies of them.
func (s *Statistics) stepText(last, next []byte) {
	step := 0
	switch {
	case last != nil && next != nil:
		step = bytes.Compare(next, last)
		if s.key.Order == Descending {
			step = -step
		}
	case (last == nil) != (next == nil):
		step = 1
		if (next == nil) == (s.key.Nulls == NullsAtStart) {
			step = -1
		}
	}
	s.Sorted = s.Sorted && step >= 0
	s.Rising = s.Rising && step > 0
	s.Reversed = s.Reversed && step < 0
}
