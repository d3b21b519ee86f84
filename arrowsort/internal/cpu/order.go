package cpu

import (
	"math/bits"
	"unsafe"
)

// A finisher sorts bins in cache: one worker's temp storage for bins of up to cap(rows) rows.
type finisher struct {
	codes   []uint64 // codes of the bin's rows, in their order of arrival
	a, b    []uint32 // 4-byte records
	rows    []uint32 // the result where a and b are needed again
	spare   []byte   // one lane of the bin
	wide    []record // two buffers of records for codes that 4 bytes do not tell apart
	tie     tieStorage
	counts  [2 << 10]uint32
	runs    []run
	further []run
	owned   []byte // all of the storage
}

// A record is a code and its row in the bin.
type record struct {
	code uint64
	row  uint64
}

// order returns the stable order of the codes as row numbers within the bin, nil when they are in order already. The
// result is in the finisher's own storage.
//
// A 4-byte record holds the row below as many leading bits of code - min as fit. Records are distinct, so that whole
// records may be compared in any step. Two radix passes of up to 10 bits bring nearly all of them home; an insertion pass does the
// rest; rows that tie in the record are ordered by their codes.
func (f *finisher) order(codes []uint64) []uint32 {
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
	passes, digit := uint(2), (want+1)/2
	if want <= 8 {
		passes, digit = 1, want
	}
	used := min(kept, digit*passes)
	shift := rowBits + kept - used
	counts := f.counts[:passes<<digit]
	clear(counts)
	if passes == 1 {
		buildRecords1(codes, a, lo, rest, rowBits, unsafe.Pointer(&counts[0]), shift, digit)
	} else {
		buildRecords2(codes, a, lo, rest, rowBits, unsafe.Pointer(&counts[0]), shift, digit)
	}
	for p := range passes {
		exclusiveSum(counts[p<<digit : (p+1)<<digit])
		scatterRecords(a, unsafe.Pointer(&b[0]), unsafe.Pointer(&counts[p<<digit]), shift+p*digit, 1<<digit-1)
		a, b = b, a
	}
	budget := 8 * n
	if !insertRecords(a, &budget) || rest > 0 && !orderTied(a, codes, rowBits, &budget) {
		return f.orderWide(codes, lo)
	}
	mask := uint32(1)<<rowBits - 1
	for i := range a {
		a[i] &= mask
	}
	return a
}

// orderWide is order for codes that crowd in a part of their range: whole codes, as many digits as vary.
func (f *finisher) orderWide(codes []uint64, lo uint64) []uint32 {
	n := len(codes)
	a, b := f.wide[:n], f.wide[len(f.wide)/2:][:n]
	var counts [8][256]uint32
	for i, x := range codes {
		x -= lo
		a[i] = record{x, uint64(i)}
		for d := range counts {
			counts[d][byte(x>>(8*d))]++
		}
	}
	for d := range counts {
		c := &counts[d]
		if c[byte(a[0].code>>(8*d))] == uint32(n) {
			continue // a constant digit costs nothing
		}
		exclusiveSum(c[:])
		for _, r := range a {
			o := &c[byte(r.code>>(8*d))]
			b[*o] = r
			*o++
		}
		a, b = b, a
	}
	for i, r := range a {
		f.a[i] = uint32(r.row)
	}
	return f.a[:n]
}
