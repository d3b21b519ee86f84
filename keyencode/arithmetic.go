package keyencode

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// uint256 is an unsigned number of up to 256 bits, least significant limb first.
type uint256 [4]uint64

func (a uint256) sub(b uint256) (d uint256) {
	var borrow uint64
	for i := range a {
		d[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return d
}

// shr shifts right by n < 64 bits.
func (a uint256) shr(n uint) (d uint256) {
	for i := range 3 {
		d[i] = a[i]>>n | a[i+1]<<(64-n)
	}
	d[3] = a[3] >> n
	return d
}

// shl shifts left by n < 64 bits.
func (a uint256) shl(n uint) (d uint256) {
	for i := 3; i > 0; i-- {
		d[i] = a[i]<<n | a[i-1]>>(64-n)
	}
	d[0] = a[0] << n
	return d
}

func (a uint256) add(b uint256) (d uint256) {
	var carry uint64
	for i := range a {
		d[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return d
}

func (a uint256) compare(b uint256) int {
	for i := 3; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// word is the full width that integers are compared in: only such comparisons compile to conditional
// moves.
type word interface{ int64 | uint64 }

// A minMax is the range of some integers and the bits that they have in common.
type minMax[W word] struct{ lo, hi, or, and W }

// add adds all of src. Four independent chains of minima and maxima overlap: one is bound by latency.
func add[W word, T buffers.Integer](e *minMax[W], src []T) {
	lo0, hi0, or, and := e.lo, e.hi, e.or, e.and
	lo1, hi1, lo2, hi2, lo3, hi3 := lo0, hi0, lo0, hi0, lo0, hi0
	for len(src) >= 4 {
		a, b, c, d := W(src[0]), W(src[1]), W(src[2]), W(src[3])
		lo0, hi0 = min(lo0, a), max(hi0, a)
		lo1, hi1 = min(lo1, b), max(hi1, b)
		lo2, hi2 = min(lo2, c), max(hi2, c)
		lo3, hi3 = min(lo3, d), max(hi3, d)
		or |= a | b | c | d
		and &= a & b & c & d
		src = src[4:]
	}
	for _, x := range src {
		a := W(x)
		lo0, hi0 = min(lo0, a), max(hi0, a)
		or |= a
		and &= a
	}
	e.lo, e.hi = min(lo0, lo1, lo2, lo3), max(hi0, hi1, hi2, hi3)
	e.or, e.and = or, and
}

// addMasked adds the values of src whose bit in mask is set.
func addMasked[W word, T buffers.Integer](e *minMax[W], src []T, mask []uint64) {
	for _, m := range mask {
		n := min(len(src), 64)
		if m == buffers.LowBits(n) {
			add(e, src[:n])
		} else if m != 0 {
			addSome(e, src[:n], m)
		}
		src = src[n:]
	}
}

// addSome adds the values of src whose bit in m is set. In place of the others it adds e.lo again, without a branch.
func addSome[W word, T buffers.Integer](e *minMax[W], src []T, m uint64) {
	lo, hi, or, and, known := e.lo, e.hi, e.or, e.and, e.lo
	for _, x := range src {
		v := known ^ (W(x)^known)&-W(m&1)
		m >>= 1
		lo, hi = min(lo, v), max(hi, v)
		or |= v
		and &= v
	}
	e.lo, e.hi, e.or, e.and = lo, hi, or, and
}

// A stride is the odd part of the greatest common divisor of the differences between some numbers, found while they are
// read. For a number u, u-rest is a multiple of an odd step iff (u-rest) * (1/step modulo 2^64) is at most most, the
// greatest quotient there is: one multiplication. When a number fails, step becomes a proper divisor of itself, so that
// happens at most 40 times; from step 1 on nothing is left to find.
type stride struct {
	first   uint64
	step    uint64 // 0 while all numbers are equal
	rest    uint64 // first modulo step
	inverse uint64
	most    uint64
}

// done reports that no more numbers need to be seen.
func (s *stride) done() bool { return s.step == 1 }

func (s *stride) add(values []uint64) {
	for i := 0; i < len(values) && !s.done(); i++ {
		if i = s.agree(values, i); i < len(values) {
			s.reduce(distance(values[i], s.first))
		}
	}
}

// agree returns the position of the first number from i on that is not in step.
func (s *stride) agree(values []uint64, i int) int {
	if s.step == 0 {
		for i < len(values) && values[i] == s.first {
			i++
		}
		return i
	}
	rest, inverse, most := s.rest, s.inverse, s.most
	for i < len(values) && (values[i]-rest)*inverse <= most {
		i++
	}
	return i
}

// reduce makes step a divisor of a difference too.
func (s *stride) reduce(difference uint64) {
	if difference == 0 {
		return
	}
	s.step = gcd(s.step, difference)
	s.step >>= uint(bits.TrailingZeros64(s.step))
	s.rest = s.first % s.step
	s.inverse = inverse(s.step)
	s.most = (^uint64(0) - s.rest) / s.step
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// gcd returns the greatest common divisor; that of 0 and n is n.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// inverse returns the multiplicative inverse of an odd number modulo 2^64, by Newton's iteration: every step doubles
// the bits that are right, of which x = a starts with three.
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// toOrdered returns the ordered word of an integer.
func toOrdered[T buffers.Integer](x T, sign uint64) uint64 {
	u := uint64(x)
	if sign != 0 {
		u &= sign<<1 - 1 // without the extended sign
	}
	return u ^ sign
}
