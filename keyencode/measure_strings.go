package keyencode

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A stringRange is the least and the greatest of some strings, borrowed.
type stringRange struct {
	least, greatest []byte
	low, high       uint64 // their first 8 bytes after the words that all strings share: they decide most comparisons
	minLen, maxLen  int
	zeroEnd         bool
	common          commonBytes
}

// add takes some strings in and counts the nulls among them.
func (t *stringRange) add(batch [][]byte) (nulls int) {
	t.common.trim()
	for _, s := range batch {
		if s == nil {
			nulls++
			continue
		}
		n := len(s)
		if n < t.minLen {
			t.shorten(s)
		}
		if t.common.add(s) {
			t.compareFrom()
		}
		if w := buffers.BytesFrom(s, 8*t.common.same); w <= t.low || w >= t.high {
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
		t.common.begin(s)
	}
	t.common.shorten(s)
	t.compareFrom()
}

// compareFrom finds the bytes of the least and the greatest string that decide.
func (t *stringRange) compareFrom() {
	from := 8 * t.common.same
	t.low, t.high = buffers.BytesFrom(t.least, from), buffers.BytesFrom(t.greatest, from)
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
	span, order := stringRange{minLen: math.MaxInt}, rowOrder{key: s.key}
	s.Rows = hi - lo
	for from := lo; from < hi; from += gatherRows {
		r.each(from, min(from+gatherRows, hi), func(c *Chunk, at, n, row int) {
			r.column.Strings(t[:n], c, at)
			s.Nulls += span.add(t[:n])
			if row == lo {
				order.first, last = stringValue(t[0]), t[0]
				order.addStrings(last, t[1:n])
			} else {
				order.addStrings(last, t[:n])
			}
			last = t[n-1]
		})
	}
	order.last = stringValue(last)
	order.store(s)
	if s.Values() > 0 {
		s.MinBytes, s.MaxBytes = string(span.least), string(span.greatest)
		s.MinLen, s.MaxLen, s.ZeroEnd = span.minLen, span.maxLen, span.zeroEnd
		s.CommonBytes = span.common.mask()
	}
}

// addStrings compares strings with their predecessors.
func (o *rowOrder) addStrings(last []byte, batch [][]byte) {
	for i := 0; i < len(batch) && !o.done(); i++ {
		o.note(compareStrings(batch[i], last, o.key))
		last = batch[i]
	}
}

func stringValue(x []byte) rowValue {
	if x == nil {
		return rowValue{class: ClassNull}
	}
	return rowValue{str: string(x)}
}

// compareStrings orders a string by its predecessor as rowValue.compare does, without copies of them. Nulls are nil.
func compareStrings(next, last []byte, k Key) int {
	switch {
	case last != nil && next != nil:
		return k.directed(bytes.Compare(next, last))
	case next != nil:
		return k.compareClasses(ClassValue, ClassNull)
	case last != nil:
		return k.compareClasses(ClassNull, ClassValue)
	}
	return 0
}

// commonBytes finds which of the first bytes of some strings are the same in all of them. It compares the words
// that all strings have in full.
type commonBytes struct {
	some  [commonWords]uint64 // words of one of the strings
	bits  [commonWords]uint64 // that vary
	same  int                 // leading words that do not vary
	words int                 // words that all strings have, without those at the end whose bytes all vary
}

// begin takes the first string in.
func (v *commonBytes) begin(s []byte) {
	v.words = min(len(s)/8, commonWords)
	v.same = v.words
	for j := range v.words {
		v.some[j] = binary.BigEndian.Uint64(s[8*j:])
	}
}

// shorten leaves the words that a string has.
func (v *commonBytes) shorten(s []byte) {
	v.words = min(v.words, len(s)/8)
	v.same = min(v.same, v.words)
}

// add takes in a string that has all words. It reports whether one that was the same in all strings varies now.
func (v *commonBytes) add(s []byte) bool {
	before := uint64(0)
	for j := range v.same {
		before |= binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]
	}
	for j := v.same; j < v.words; j++ {
		v.bits[j] |= binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]
	}
	if before == 0 {
		return false
	}
	for j := v.same - 1; j >= 0; j-- {
		if v.bits[j] = binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]; v.bits[j] != 0 {
			v.same = j
		}
	}
	return true
}

// trim leaves out words at the end of which all bytes vary.
func (v *commonBytes) trim() {
	for v.words > v.same && nonzeroBytes(v.bits[v.words-1]) == 0xff {
		v.words--
	}
}

// mask has a bit for each byte that does not vary.
func (v *commonBytes) mask() (mask uint64) {
	for j := range v.words {
		mask |= (nonzeroBytes(v.bits[j]) ^ 0xff) << (8 * j)
	}
	return mask
}

// nonzeroBytes has a bit for each byte of a word that is not zero, the lowest bit for the first byte.
func nonzeroBytes(word uint64) (mask uint64) {
	for i := range 8 {
		if word<<(8*i)>>56 != 0 {
			mask |= 1 << i
		}
	}
	return mask
}
