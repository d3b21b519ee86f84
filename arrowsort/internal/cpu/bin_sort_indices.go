package cpu

import (
	"math/bits"
	"unsafe"
)

// sortIndices returns the stable order of the codes as row numbers within the bin, nil when they are in order already.
// The result is in the binSorter's own storage.
//
// A 4-byte record holds the row below the leading bits of code - min that fit. Records are distinct, so that whole
// records may be compared in any step. Two radix passes of up to 10 bits bring nearly all of them home; an insertion
// pass does the rest; rows that tie in the record are ordered by their codes.
func (f *binSorter) sortIndices(codes []uint64) []uint32 {
	lo, hi, inOrder := rangeOf(codes)
	if inOrder {
		return nil
	}
	n := len(codes)
	rowBits := uint(bits.Len(uint(n - 1)))
	width := uint(bits.Len64(hi - lo))
	kept := min(width, 32-rowBits)
	rest := width - kept
	a, b := f.a[:n], f.b[:n]
	want := min(kept, rowBits+4) // 4 bits more than the rows need leave few to the insertion pass
	digit := (want + 1) / 2
	used := min(kept, 2*digit)
	shift := rowBits + kept - used
	counts := f.counts[:2<<digit]
	clear(counts)
	buildRecords(codes, a, lo, rest, rowBits, unsafe.Pointer(&counts[0]), shift, digit)
	for p := range uint(2) {
		exclusiveSum(counts[p<<digit : (p+1)<<digit])
		scatterRecords(a, unsafe.Pointer(&b[0]), unsafe.Pointer(&counts[p<<digit]), shift+p*digit, 1<<digit-1)
		a, b = b, a
	}
	budget := 8 * n
	if !insertRecords(a, &budget) {
		return f.sortIndicesByDigits(codes)
	}
	if rest == 0 {
		stripRecords(a, rowBits)
	} else if !stripTiedRecords(a, codes, rowBits, &budget) {
		return f.sortIndicesByDigits(codes)
	}
	return a
}

// sortIndicesByDigits is sortIndices for codes that cluster in a part of their range: row numbers move by one byte of
// the codes after another, from the least significant, constant bytes left out.
func (f *binSorter) sortIndicesByDigits(codes []uint64) []uint32 {
	n := len(codes)
	a, b := f.a[:n], f.b[:n]
	series(a, 0)
	var counts [8][256]uint32
	for _, x := range codes {
		for d := range counts {
			counts[d][byte(x>>(8*d))]++
		}
	}
	for d := range counts {
		c := &counts[d]
		if c[byte(codes[0]>>(8*d))] == uint32(n) {
			continue
		}
		exclusiveSum(c[:])
		for _, r := range a {
			o := &c[byte(codes[r]>>(8*d))]
			b[*o] = r
			*o++
		}
		a, b = b, a
	}
	return a
}
