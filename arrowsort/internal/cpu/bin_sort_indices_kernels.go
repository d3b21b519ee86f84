package cpu

import (
	"cmp"
	"slices"
	"unsafe"
)

// rangeOf returns the smallest and the largest code and whether they never fall.
//
//go:noinline
func rangeOf(codes []uint64) (lo, hi uint64, inOrder bool) {
	i := 1
	for ; i < len(codes) && codes[i] >= codes[i-1]; i++ {
	}
	if i >= len(codes) {
		return 0, 0, true
	}
	lo, hi = codes[0], codes[i-1]
	for _, x := range codes[i:] {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi, false
}

// buildRecords makes the records and counts two digits of them.
//
//go:noinline
func buildRecords(
	codes []uint64, a []uint32, lo uint64, rest, rowBits uint, counts unsafe.Pointer, shift, digit uint,
) {
	rest, rowBits, digit = rest&63, rowBits&31, digit&31
	a = a[:len(codes)]
	mask := uint32(1)<<digit - 1
	s0, s1 := shift&31, (shift+digit)&31
	second := unsafe.Add(counts, uintptr(4)<<digit)
	for i, x := range codes {
		r := uint32((x-lo)>>rest)<<rowBits | uint32(i)
		a[i] = r
		count32(counts, uint64(r>>s0&mask))
		count32(second, uint64(r>>s1&mask))
	}
}

//go:noinline
func exclusiveSum(counts []uint32) {
	sum := uint32(0)
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
}

//go:noinline
func scatterRecords(a []uint32, b, offsets unsafe.Pointer, shift uint, mask uint32) {
	shift &= 31
	for _, r := range a {
		o := (*uint32)(unsafe.Add(offsets, uint64(r>>shift&mask)*4))
		p := *o
		*o = p + 1
		*(*uint32)(unsafe.Add(b, uint64(p)*4)) = r
	}
}

// insertRecords sorts records that are nearly in place; it gives up (false) when the budget of steps is spent.
//
//go:noinline
func insertRecords(a []uint32, budget *int) bool {
	prev := a[0]
	for i := 1; i < len(a); i++ {
		x := a[i]
		if x >= prev {
			prev = x
			continue
		}
		j := i
		for j > 0 && a[j-1] > x {
			a[j] = a[j-1]
			j--
		}
		a[j] = x
		if *budget -= i - j; *budget < 0 {
			return false
		}
	}
	return true
}

// stripRecords leaves the rows of ordered records.
func stripRecords(a []uint32, rowBits uint) {
	mask := uint32(1)<<(rowBits&31) - 1
	for i := range a {
		a[i] &= mask
	}
}

// stripTiedRecords is stripRecords for records that do not hold all code bits: runs that tie in those they hold are
// ordered by the codes. It gives up (false) when the budget is spent or a run is long.
//
//go:noinline
func stripTiedRecords(a []uint32, codes []uint64, rowBits uint, budget *int) bool {
	rowBits &= 31
	mask := uint32(1)<<rowBits - 1
	for i := 0; i < len(a); {
		x := a[i]
		if i+1 == len(a) || a[i+1]>>rowBits != x>>rowBits {
			a[i] = x & mask
			i++
			continue
		}
		e := i + 2
		for e < len(a) && a[e]>>rowBits == x>>rowBits {
			e++
		}
		g := a[i:e]
		i = e
		if len(g) > 16 && codesTie(g, codes, mask) {
			stripRecords(g, rowBits)
			continue
		}
		if *budget -= len(g); *budget < 0 || len(g) > 256 {
			return false
		}
		stripRecords(g, rowBits)
		if len(g) <= 16 {
			insertRows(g, codes)
		} else {
			slices.SortFunc(g, func(x, y uint32) int {
				return cmp.Or(cmp.Compare(codes[x], codes[y]), cmp.Compare(x,
					y))
			})
		}
	}
	return true
}

// codesTie reports whether the rows of some records have one code, so that they are in order.
func codesTie(records []uint32, codes []uint64, mask uint32) bool {
	first := codes[records[0]&mask]
	for _, r := range records[1:] {
		if codes[r&mask] != first {
			return false
		}
	}
	return true
}

// insertRows orders a few rows by their codes, stably.
func insertRows(rows []uint32, codes []uint64) {
	for i := 1; i < len(rows); i++ {
		r, j := rows[i], i
		for c := codes[r]; j > 0 && codes[rows[j-1]] > c; j-- {
			rows[j] = rows[j-1]
		}
		rows[j] = r
	}
}
