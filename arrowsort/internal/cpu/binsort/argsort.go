// Package binsort sorts the rows of one bin of a partition in the cache of a core.
package binsort

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// MaxRows is the largest number of rows of a bin that one worker sorts: a longer one leaves the L2 cache, and its rows
// no longer fit 16 bits.
const MaxRows = 1 << 16

// An Argsort is the temp storage of one worker that finds the order of codes.
type Argsort struct {
	a, b   []uint32 // 4-byte records
	counts []uint32 // of two digits
}

// NewArgsort returns an Argsort for up to len(a) = len(b) rows. counts has Counters(len(a)) elements.
func NewArgsort(a, b, counts []uint32) Argsort { return Argsort{a, b, counts} }

// Counters returns the number of counts for up to rows rows.
func Counters(rows int) int { return max(1<<8, 2<<((bits.Len(uint(rows))+5)/2)) }

// Order returns the stable order of the codes as row numbers within the bin, nil when they are in order already. The
// result is in its own storage.
//
// The low bits of a 4-byte record hold the row, the rest as many leading bits of code - min as fit, or of the bits that
// vary where more of these fit. Records are distinct, so that whole records may be compared in any step. Two radix
// passes of up to 10 bits bring nearly all of them home; an insertion pass does the rest; rows that tie in the record
// are ordered by their codes.
func (s *Argsort) Order(codes []uint64) []uint32 {
	lo, hi, inOrder := rangeOf(codes)
	if inOrder {
		return nil
	}
	n := len(codes)
	rowBits := uint(bits.Len(uint(n - 1)))
	width := uint(bits.Len64(hi - lo))
	kept := min(width, 32-rowBits)
	rest := width - kept
	a, b := s.a[:n], s.b[:n]
	var packing bitPacking
	packs := false
	if rest > 0 {
		varying := varyingBits(codes)
		if uint(bits.OnesCount64(varying>>rest)) < rowBits+8 { // else few records tie
			packing, packs = packingOf(varying, kept, rest)
		}
	}
	if packs {
		kept, rest = packing.bits, packing.rest
	}
	want := min(kept, rowBits+4) // 4 bits more than the rows need leave few to the insertion pass
	digit := (want + 1) / 2
	used := min(kept, 2*digit)
	shift := rowBits + kept - used
	counts := s.counts[:2<<digit]
	clear(counts)
	if packs {
		packing.pack(codes, b)
		buildPackedRecords(b, a, rowBits, unsafe.Pointer(&counts[0]), shift, digit)
	} else {
		buildRecords(codes, a, lo, rest, rowBits, unsafe.Pointer(&counts[0]), shift, digit)
	}
	for p := range uint(2) {
		buffers.PrefixSum(counts[p<<digit : (p+1)<<digit])
		scatterRecords(a, unsafe.Pointer(&b[0]), unsafe.Pointer(&counts[p<<digit]), shift+p*digit, 1<<digit-1)
		a, b = b, a
	}
	budget := 8 * n
	if !insertionPass(a, &budget) {
		return s.orderByBytes(codes)
	}
	if rest == 0 {
		recordsToRows(a, rowBits)
	} else if !tiedRecordsToRows(a, codes, rowBits, &budget) {
		return s.orderByBytes(codes)
	}
	return a
}

// orderByBytes is Order for codes that cluster in a part of their range: row numbers move by one byte of the codes
// after another, from the least significant, constant bytes left out.
func (s *Argsort) orderByBytes(codes []uint64) []uint32 {
	n := len(codes)
	a, b := s.a[:n], s.b[:n]
	buffers.Series(a, 0)
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
		buffers.PrefixSum(c[:])
		for _, r := range a {
			o := &c[byte(codes[r]>>(8*d))]
			b[*o] = r
			*o++
		}
		a, b = b, a
	}
	return a
}

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
func buildRecords(codes []uint64, a []uint32, lo uint64, rest, rowBits uint, counts unsafe.Pointer, shift, digit uint) {
	rest, rowBits, digit = rest&63, rowBits&31, digit&31
	a = a[:len(codes)]
	mask := uint32(1)<<digit - 1
	s0, s1 := shift&31, (shift+digit)&31
	second := unsafe.Add(counts, uintptr(4)<<digit)
	for i, x := range codes {
		r := uint32((x-lo)>>rest)<<rowBits | uint32(i)
		a[i] = r
		buffers.Count32(counts, uint64(r>>s0&mask))
		buffers.Count32(second, uint64(r>>s1&mask))
	}
}

// buildPackedRecords is buildRecords for bits of codes that are packed.
//
//go:noinline
func buildPackedRecords(packed, a []uint32, rowBits uint, counts unsafe.Pointer, shift, digit uint) {
	rowBits, digit = rowBits&31, digit&31
	a = a[:len(packed)]
	mask := uint32(1)<<digit - 1
	s0, s1 := shift&31, (shift+digit)&31
	second := unsafe.Add(counts, uintptr(4)<<digit)
	for i, x := range packed {
		r := x<<rowBits | uint32(i)
		a[i] = r
		buffers.Count32(counts, uint64(r>>s0&mask))
		buffers.Count32(second, uint64(r>>s1&mask))
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

// insertionPass sorts records that are nearly in place; it gives up (false) when the budget of steps is spent.
//
//go:noinline
func insertionPass(a []uint32, budget *int) bool {
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

// recordsToRows leaves the rows of ordered records.
func recordsToRows(a []uint32, rowBits uint) {
	mask := uint32(1)<<(rowBits&31) - 1
	for i := range a {
		a[i] &= mask
	}
}

// tiedRecordsToRows is recordsToRows for records that do not hold all code bits: runs that tie in those they hold are
// ordered by the codes. It gives up (false) when the budget is spent or a run is long.
//
//go:noinline
func tiedRecordsToRows(a []uint32, codes []uint64, rowBits uint, budget *int) bool {
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
			recordsToRows(g, rowBits)
			continue
		}
		if *budget -= len(g); *budget < 0 || len(g) > 256 {
			return false
		}
		recordsToRows(g, rowBits)
		if len(g) <= 16 {
			insertRows(g, codes)
		} else {
			slices.SortFunc(g, func(x, y uint32) int {
				return cmp.Or(cmp.Compare(codes[x], codes[y]), cmp.Compare(x, y))
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

// OrderOfTwoRuns returns the stable merge order of two sorted runs, codes[:first] and codes[first:]; nil if all codes
// are sorted already.
func (s *Argsort) OrderOfTwoRuns(codes []uint64, first int) []uint32 {
	n := len(codes)
	if first == 0 || first == n || codes[first-1] <= codes[first] {
		return nil
	}
	order := s.a[:n]
	mergeTwoRuns(order, codes, first)
	return order
}

// mergeTwoRuns merges from both ends at once, without branches: the two ends are independent dependency chains.
//
//go:noinline
func mergeTwoRuns(order []uint32, codes []uint64, first int) {
	c, o := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Pointer(unsafe.SliceData(order))
	// rows i..k of the first run and j..m of the second remain
	i, j, k, m := 0, first, first-1, len(codes)-1
	at, end := 0, m
	for steps := min(k-i+1, m-j+1) / 2; steps > 0; steps = min(k-i+1, m-j+1) / 2 { // neither run ends before
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
