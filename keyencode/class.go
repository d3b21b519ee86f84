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

// placeClasses finds the codes of the classes that occur, in addition to values with the codes 0..last.
func placeClasses(s *Statistics, nulls NullPlacement, last uint64) (c classCodes) {
	after := last + 1 // the values
	if s.Values() == 0 {
		after = 0
	}
	nans, missing := uint64(min(s.NaNs, 1)), uint64(min(s.Nulls, 1))
	c.extra = nans + missing
	if nulls == NullsAtStart {
		c.nan, c.first = missing, c.extra
	} else {
		c.nan, c.null = after, after+nans
	}
	return c
}

// linear makes codes of values 0..last, in steps of the inverse of mul, in the direction of the key.
func (c *classCodes) linear(order Order, last, mul uint64) linear {
	l := linear{mul: mul, bias: c.first, nan: c.nan, null: c.null}
	if order == Descending {
		l.mul, l.bias = -mul, c.first+last
	}
	return l
}
