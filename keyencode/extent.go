package keyencode

// word is the full width that integers are compared in: only such comparisons compile to conditional
// moves.
type word interface{ int64 | uint64 }

// An extent is the range of some integers and the bits that they have in common.
type extent[W word] struct{ lo, hi, or, and W }

// add adds all of src. Four independent chains of minima and maxima overlap: one is bound by latency.
func add[W word, T integer](e *extent[W], src []T) {
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
func addMasked[W word, T integer](e *extent[W], src []T, mask []uint64) {
	for _, m := range mask {
		n := min(len(src), 64)
		if m == lowBits(n) {
			add(e, src[:n])
		} else if m != 0 {
			addSome(e, src[:n], m)
		}
		src = src[n:]
	}
}

// addSome adds the values of src whose bit in m is set. In place of the others it adds e.lo again, without a branch.
func addSome[W word, T integer](e *extent[W], src []T, m uint64) {
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
