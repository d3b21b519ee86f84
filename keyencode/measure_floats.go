package keyencode

import "math/bits"

// addFloats adds a block of floats without making their words, once the order is settled and a value was read.
func addFloats[U uint16 | uint32 | uint64](w *wordRange, b *block, src []U, sign, inf U) {
	valid, values := 0, 0
	for i := 0; i < len(src); i += 64 {
		part := src[i:min(i+64, len(src))]
		m := lowBits(len(part))
		if b.validity != nil {
			m &= bitsAt(b.validity, b.bit+i)
		}
		valid += bits.OnesCount64(m)
		if m == lowBits(len(part)) && addNumbers(&w.all, part, sign, inf) {
			values += len(part)
		} else {
			values += addSomeFloats(&w.all, part, m, sign, inf)
		}
	}
	w.nulls += b.rows - valid
	w.nans += valid - values
	w.order.last = lastRow(b)
}

// addNumbers adds floats unless one of them is NaN, and reports which.
func addNumbers[U uint16 | uint32 | uint64](e *extent[uint64], src []U, sign, inf U) bool {
	lo, hi, or, and := e.lo, e.hi, e.or, e.and
	for _, x := range src {
		if x&sign != 0 {
			x = sign - x
		}
		if x+inf > 2*inf {
			return false
		}
		u := uint64(x ^ sign)
		lo, hi = min(lo, u), max(hi, u)
		or |= u
		and &= u
	}
	*e = extent[uint64]{lo, hi, or, and}
	return true
}

// addSomeFloats adds those floats whose bit is set and that are not NaN, and counts them. It reads a number that is
// there already in place of the others.
func addSomeFloats[U uint16 | uint32 | uint64](e *extent[uint64], src []U, m uint64, sign, inf U) (values int) {
	lo, hi, or, and, known := e.lo, e.hi, e.or, e.and, e.lo
	for _, x := range src {
		if x&sign != 0 {
			x = sign - x
		}
		keep := m & 1
		if x+inf > 2*inf {
			keep = 0
		}
		m >>= 1
		values += int(keep)
		u := known ^ (uint64(x^sign)^known)&-keep
		lo, hi = min(lo, u), max(hi, u)
		or |= u
		and &= u
	}
	*e = extent[uint64]{lo, hi, or, and}
	return values
}
