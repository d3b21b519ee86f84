package keyencode

import (
	"strings"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Statistics sum up one key column, or a range of its rows. Numbers are ordered words: they compare as unsigned
// integers as the values do (two's complement with its sign bit flipped; floats by sign and magnitude with -0.0 equal
// to +0.0; dictionary entries by rank).
type Statistics struct {
	Rows  int // all rows
	Nulls int // rows that are null, dictionary entries that are null included
	NaNs  int // rows that are NaN

	Min, Max [4]uint64 // of the values, least significant limb first; all limbs but the first are zero up to 64 bits
	Or, And  uint64    // of the values' first limbs: bits where they agree never vary
	// of integers of 32 and 64 bits: the greatest common divisor of their differences; 0: all are equal
	Stride uint64

	MinBytes, MaxBytes string // of strings: the least and the greatest value
	MinLen, MaxLen     int    // of strings: bytes
	ZeroEnd            bool   // of strings: one ends in a zero byte
	CommonBytes        uint64 // of strings: bits of leading bytes that are known to be the same in all values

	Sorted   bool // no row sorts before its predecessor
	Rising   bool // every row sorts after its predecessor
	Reversed bool // every row sorts before its predecessor

	key         Key
	strided     bool     // Stride is known
	first, last rowValue // the border rows, for Merge
}

// Values returns the number of rows that are neither null nor NaN.
func (s *Statistics) Values() int { return s.Rows - s.Nulls - s.NaNs }

// A rowValue is one row of a key column.
type rowValue struct {
	class Class
	num   uint256
	str   string
}

// compare orders two rows of a key as the sort does.
func (a *rowValue) compare(b *rowValue, k Key) int {
	if a.class != b.class || a.class != ClassValue {
		return k.compareClasses(a.class, b.class)
	}
	c := a.num.compare(b.num)
	if c == 0 {
		c = strings.Compare(a.str, b.str)
	}
	return k.directed(c)
}

// Merge adds the statistics of the rows that follow those of s, of the same key.
func (s *Statistics) Merge(next *Statistics) {
	if next.Rows == 0 {
		return
	}
	if s.Rows == 0 {
		*s = *next
		return
	}
	step := next.first.compare(&s.last, s.key)
	s.Sorted = s.Sorted && next.Sorted && step >= 0
	s.Rising = s.Rising && next.Rising && step > 0
	s.Reversed = s.Reversed && next.Reversed && step < 0
	s.last = next.last
	s.mergeValues(next)
	s.Rows += next.Rows
	s.Nulls += next.Nulls
	s.NaNs += next.NaNs
}

func (s *Statistics) mergeValues(next *Statistics) {
	switch {
	case next.Values() == 0:
		return
	case s.Values() == 0:
		s.Min, s.Max, s.Or, s.And, s.Stride = next.Min, next.Max, next.Or, next.And, next.Stride
		s.MinBytes, s.MaxBytes, s.MinLen, s.MaxLen = next.MinBytes, next.MaxBytes, next.MinLen, next.MaxLen
		s.ZeroEnd, s.CommonBytes = next.ZeroEnd, next.CommonBytes
		return
	}
	s.CommonBytes &= next.CommonBytes &^ differingBytes(s.MinBytes, next.MinBytes)
	if s.strided {
		s.Stride = gcd(gcd(s.Stride, next.Stride), distance(s.Min[0], next.Min[0]))
	}
	if uint256(next.Min).compare(s.Min) < 0 {
		s.Min = next.Min
	}
	if uint256(next.Max).compare(s.Max) > 0 {
		s.Max = next.Max
	}
	s.Or |= next.Or
	s.And &= next.And
	s.MinBytes = min(s.MinBytes, next.MinBytes)
	s.MaxBytes = max(s.MaxBytes, next.MaxBytes)
	s.MinLen = min(s.MinLen, next.MinLen)
	s.MaxLen = max(s.MaxLen, next.MaxLen)
	s.ZeroEnd = s.ZeroEnd || next.ZeroEnd
}

// A rowOrder compares each row with its predecessor, until the rows are in neither order.
type rowOrder struct {
	key                Key
	rows               bool // any yet
	first, last        rowValue
	rises, ties, falls bool // some row sorts after, with, before its predecessor
}

func (o *rowOrder) done() bool { return o.falls && (o.rises || o.ties) }

func (o *rowOrder) store(s *Statistics) {
	s.first, s.last = o.first, o.last
	s.Sorted, s.Rising, s.Reversed = !o.falls, !o.falls && !o.ties, !o.rises && !o.ties
}

func (o *rowOrder) next(d rowValue) {
	if !o.rows {
		o.rows, o.first = true, d
	} else {
		o.note(d.compare(&o.last, o.key))
	}
	o.last = d
}

// note records that a row sorts after (1), with (0) or before (-1) its predecessor.
func (o *rowOrder) note(step int) {
	o.rises, o.ties, o.falls = o.rises || step > 0, o.ties || step == 0, o.falls || step < 0
}

func rowOf(u uint64, class Class) rowValue {
	if class != ClassValue {
		u = 0
	}
	return rowValue{class: class, num: uint256{u}}
}

// addSteps compares rows that are all values with their predecessors.
func addSteps[T buffers.Integer](o *rowOrder, src []T, sign uint64) {
	o.next(rowOf(toOrdered(src[0], sign), ClassValue))
	if !o.done() {
		up, level, down := steps(src)
		if o.key.Order == Descending {
			up, down = down, up
		}
		o.rises, o.ties, o.falls = o.rises || up, o.ties || level, o.falls || down
	}
	o.last = rowOf(toOrdered(src[len(src)-1], sign), ClassValue)
}

// steps reports whether some number is greater than, equal to, less than its predecessor, and stops when
// nothing more can matter: after a rise and a fall.
func steps[T buffers.Integer](src []T) (up, level, down bool) {
	last := src[0]
	for _, v := range src[1:] {
		switch {
		case v > last:
			up = true
		case v < last:
			down = true
		default:
			level = true
		}
		if up && down {
			break
		}
		last = v
	}
	return up, level, down
}
