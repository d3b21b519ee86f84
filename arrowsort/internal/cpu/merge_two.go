package cpu

import (
	"math/bits"
	"unsafe"
)

// mergeIndices is the stable order of codes of which the first ones and the others are in order; nil when all are.
func (f *binSorter) mergeIndices(codes []uint64, first int) []uint32 {
	n := len(codes)
	if first == 0 || first == n || codes[first-1] <= codes[first] {
		return nil
	}
	order := f.a[:n]
	mergeTwo(order, codes, first)
	return order
}

// mergeTwo merges from both ends at once, without branches: one step waits for the loads of the step before, but not
// for those of the other end.
//
//go:noinline
func mergeTwo(order []uint32, codes []uint64, first int) {
	c, o := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Pointer(unsafe.SliceData(order))
	// what remains is rows i..k of the one part and j..m of the other
	i, j, k, m := 0, first, first-1, len(codes)-1
	at, end := 0, m
	for steps := min(k-i+1, m-j+1) / 2; steps > 0; steps = min(k-i+1, m-j+1) / 2 { // no part ends in as many
		for ; steps > 0; steps-- {
			_, low := bits.Sub64(*(*uint64)(unsafe.Add(c, j*8)), *(*uint64)(unsafe.Add(c, i*8)), 0)
			_, high := bits.Sub64(*(*uint64)(unsafe.Add(c, m*8)), *(*uint64)(unsafe.Add(c, k*8)), 0)
			l, h := int(low), int(high)
			*(*uint32)(unsafe.Add(o, at*4)) = uint32(i + (j-i)&-l)
			*(*uint32)(unsafe.Add(o, end*4)) = uint32(m + (k-m)&-h)
			i, j = i+1-l, j+l
			k, m = k-h, m-1+h
			at, end = at+1, end-1
		}
	}
	for ; i <= k || j <= m; at++ {
		if j > m || i <= k && codes[i] <= codes[j] {
			order[at] = uint32(i)
			i++
		} else {
			order[at] = uint32(j)
			j++
		}
	}
}
