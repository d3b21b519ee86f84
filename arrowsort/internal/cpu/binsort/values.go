package binsort

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// SortValues sorts a bin of values of 4 bytes that are all of the result: they move without row numbers. A value with
// the bits of flip inverted is a number that orders as the key does.
func (f *Sorter) SortValues(values []uint32, flip uint32) {
	lo, hi, inOrder := rangeOfValues(values, flip)
	if inOrder {
		return
	}
	s := &f.Argsort
	n, width := len(values), uint(bits.Len32(hi-lo))
	digit := (min(width, uint(bits.Len(uint(n)))+4) + 1) / 2 // as in Order
	shift := width - min(width, 2*digit)
	counts := s.counts[:2<<digit]
	clear(counts)
	a, b := s.a[:n], s.b[:n]
	buildNumbers(values, a, flip, lo, unsafe.Pointer(&counts[0]), shift, digit)
	for p := range uint(2) {
		buffers.PrefixSum(counts[p<<digit : (p+1)<<digit])
		scatterRecords(a, unsafe.Pointer(&b[0]), unsafe.Pointer(&counts[p<<digit]), shift+p*digit, 1<<digit-1)
		a, b = b, a
	}
	if budget := 8 * n; !insertionPass(a, &budget) {
		slices.Sort(a)
	}
	for i, x := range a {
		values[i] = (x + lo) ^ flip
	}
}

// rangeOfValues is rangeOf for values.
//
//go:noinline
func rangeOfValues(values []uint32, flip uint32) (lo, hi uint32, inOrder bool) {
	i := 1
	for ; i < len(values) && values[i]^flip >= values[i-1]^flip; i++ {
	}
	if i >= len(values) {
		return 0, 0, true
	}
	lo, hi = values[0]^flip, values[i-1]^flip
	for _, v := range values[i:] {
		lo, hi = min(lo, v^flip), max(hi, v^flip)
	}
	return lo, hi, false
}

// buildNumbers makes numbers from lo on, and counts two digits of them.
//
//go:noinline
func buildNumbers(values, a []uint32, flip, lo uint32, counts unsafe.Pointer, shift, digit uint) {
	digit &= 31
	a = a[:len(values)]
	mask := uint32(1)<<digit - 1
	s0, s1 := shift&31, (shift+digit)&31
	second := unsafe.Add(counts, uintptr(4)<<digit)
	for i, v := range values {
		x := v ^ flip - lo
		a[i] = x
		buffers.Count32(counts, uint64(x>>s0&mask))
		buffers.Count32(second, uint64(x>>s1&mask))
	}
}
