package keyencode

import "math/bits"

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

// agree is the position of the first number from i on that is not in step.
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

// gcd is the greatest common divisor; that of 0 and n is n.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
