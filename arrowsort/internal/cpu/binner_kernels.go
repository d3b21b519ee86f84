package cpu

import (
	"math/bits"
	"unsafe"
)

// The kernels are top-level functions that are never inlined: a closure that travels with an inlined caller is compiled
// there without inlining its own calls. They index without checks: every bin is below binner.bins by the clamp, and the
// tables have that many entries.

func load64(p unsafe.Pointer, i uint64) uint64 { return *(*uint64)(unsafe.Add(p, i*8)) }

func count32(p unsafe.Pointer, i uint64) { *(*uint32)(unsafe.Add(p, i*4))++ }

// classify writes and counts the bins of codes.
func (b *binner) classify(codes []uint64, bins []uint16, histogram []uint32) {
	counts := unsafe.Pointer(&histogram[0])
	switch {
	case b.tree != nil:
		classifySplit(codes, bins, counts, b)
	case b.cells != nil:
		classifyCells(codes, bins, counts, b)
	default:
		classifyLinear(codes, bins, counts, b)
	}
}

// countLinear counts the bins of codes whose mapping is linear, without borders.
//
//go:noinline
func countLinear(codes []uint64, histogram unsafe.Pointer, b *binner) {
	base, top, shift := b.base, b.top, b.shift&63
	for _, x := range codes {
		count32(histogram, (min(max(x, base), top)-base)>>shift)
	}
}

// placesLinear computes the places of rows whose mapping is linear, without borders, and moves the offsets on.
//
//go:noinline
func placesLinear(codes []uint64, places []uint32, offsets unsafe.Pointer, b *binner) {
	base, top, shift := b.base, b.top, b.shift&63
	places = places[:len(codes)]
	for i, x := range codes {
		o := (*uint32)(unsafe.Add(offsets, (min(max(x, base), top)-base)>>shift*4))
		p := *o
		places[i] = p
		*o = p + 1
	}
}

// placesByBin computes the places of rows whose bins are known.
//
//go:noinline
func placesByBin(bins []uint16, places []uint32, offsets unsafe.Pointer) {
	places = places[:len(bins)]
	for i, d := range bins {
		o := (*uint32)(unsafe.Add(offsets, uint64(d)*4))
		p := *o
		places[i] = p
		*o = p + 1
	}
}

// classifyLinear writes and counts the bins of a linear mapping with class borders.
//
//go:noinline
func classifyLinear(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *binner) {
	base, top, shift := b.base, b.top, b.shift&63
	t0, t1 := b.borders[0], b.borders[1]
	bins = bins[:len(codes)]
	for i, x := range codes {
		_, c0 := bits.Sub64(t0, x, 0) // 1 when x > t0
		_, c1 := bits.Sub64(t1, x, 0)
		d := (min(max(x, base), top)-base)>>shift + c0 + c1
		bins[i] = uint16(d)
		count32(histogram, d)
	}
}

// classifyCells is classifyLinear for cells.
//
//go:noinline
func classifyCells(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *binner) {
	base, top, shift := b.base, b.top, b.shift&63
	t0, t1 := b.borders[0], b.borders[1]
	cells := unsafe.Pointer(&b.cells[0])
	inside := uint64(1)<<shift - 1
	bins = bins[:len(codes)]
	for i, x := range codes {
		_, c0 := bits.Sub64(t0, x, 0)
		_, c1 := bits.Sub64(t1, x, 0)
		x = min(max(x, base), top) - base
		e := load64(cells, x>>shift)
		d := e>>8 + x&inside>>(e&63) + c0 + c1
		bins[i] = uint16(d)
		count32(histogram, d)
	}
}

// classifySplit writes and counts the bins of splitters: 2s+1 for a code equal to splitter s, else 2s for s splitters
// below it. Four searches go side by side: one alone waits for its own loads.
//
//go:noinline
func classifySplit(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *binner) {
	q := uint64(len(b.tree))
	levels := bits.Len64(q - 1)
	tree, split := unsafe.Pointer(&b.tree[0]), unsafe.Pointer(&b.split[0])
	bins = bins[:len(codes)]
	i := 0
	for ; i+4 <= len(codes); i += 4 {
		c, out := (*[4]uint64)(codes[i:]), (*[4]uint16)(bins[i:])
		x0, x1, x2, x3 := c[0], c[1], c[2], c[3]
		n0, n1, n2, n3 := uint64(1), uint64(1), uint64(1), uint64(1)
		for range levels {
			_, b0 := bits.Sub64(load64(tree, n0), x0, 0)
			_, b1 := bits.Sub64(load64(tree, n1), x1, 0)
			_, b2 := bits.Sub64(load64(tree, n2), x2, 0)
			_, b3 := bits.Sub64(load64(tree, n3), x3, 0)
			n0, n1, n2, n3 = 2*n0+b0, 2*n1+b1, 2*n2+b2, 2*n3+b3
		}
		for k, n := range [4]uint64{n0, n1, n2, n3} {
			d := splitBin(split, n-q, c[k])
			out[k] = uint16(d)
			count32(histogram, d)
		}
	}
	for ; i < len(codes); i++ {
		n := uint64(1)
		for range levels {
			_, below := bits.Sub64(load64(tree, n), codes[i], 0)
			n = 2*n + below
		}
		d := splitBin(split, n-q, codes[i])
		bins[i] = uint16(d)
		count32(histogram, d)
	}
}

// splitBin is the bin of x, which s splitters are below.
func splitBin(split unsafe.Pointer, s, x uint64) uint64 {
	if load64(split, s) == x {
		return 2*s + 1
	}
	return 2 * s
}
