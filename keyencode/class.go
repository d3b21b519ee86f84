package keyencode

import "cmp"

// A Class is value, NaN or null. Their order is value, NaN, null with nulls at the end, else the other way round.
type Class uint8

// The classes of a key.
const (
	ClassValue Class = iota
	ClassNaN
	ClassNull
)

// compareClasses orders the classes of two rows.
func (k Key) compareClasses(a, b Class) int {
	if k.Nulls == NullsAtStart {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// directed is the comparison of two values in the direction of the key.
func (k Key) directed(comparison int) int {
	if k.Order == Descending {
		return -comparison
	}
	return comparison
}

// classCodes are the codes of a key's classes where value codes 0..last and the codes of the classes that occur share
// one range: values start at first, NaN and null have one code each.
type classCodes struct {
	first, nan, null uint64
	extra            uint64 // how many codes NaN and null take
}

func placeClasses(s *Statistics, nulls NullPlacement, last uint64) classCodes {
	var c classCodes
	hasNaN, hasNull := s.NaNs > 0, s.Nulls > 0
	if nulls == NullsAtStart {
		if hasNull {
			c.extra++
		}
		if hasNaN {
			c.nan = c.extra
			c.extra++
		}
		c.first = c.extra
		return c
	}
	next := uint64(0)
	if s.Values() > 0 {
		next = last + 1
	}
	if hasNaN {
		c.nan = next
		next++
		c.extra++
	}
	if hasNull {
		c.null = next
		c.extra++
	}
	return c
}
