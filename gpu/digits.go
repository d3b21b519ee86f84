package gpu

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/kernels"
)

// digitsOf cuts a code word of so many bits into digits, the least significant first: as few as can be, and as equal as
// can be.
func digitsOf(width int) []digit {
	n := (width + kernels.RadixBits - 1) / kernels.RadixBits
	digits := make([]digit, 0, n)
	for shift := 0; n > 0; n-- {
		d := (width - shift + n - 1) / n
		digits = append(digits, digit{uint64(shift), uint64(d)})
		shift += d
	}
	return digits
}

// A digit is a run of bits of a code.
type digit struct{ shift, bits uint64 }

// allVary reports whether some bit varies in every digit of a code.
func allVary(width int, varying uint64) bool {
	digits := digitsOf(width)
	return len(varyingDigits(digits, varying)) == len(digits)
}

// varyingDigits are the digits in which some bit varies.
func varyingDigits(digits []digit, varying uint64) (vary []int) {
	for i, d := range digits {
		if varying>>d.shift&(1<<d.bits-1) != 0 {
			vary = append(vary, i)
		}
	}
	return vary
}

// packDigits lays the digits' shifts and bits side by side, a byte for each, as histogram takes them.
func packDigits(digits []digit) (shifts, bits uint64) {
	for i, d := range digits {
		shifts |= d.shift << (8 * i)
		bits |= d.bits << (8 * i)
	}
	return shifts, bits
}

// Records are how rows travel from pass to pass.
type records int

const (
	// Nothing but the codes, in the order of the input: the first pass makes the row numbers up.
	fromColumn records = iota
	fromShort          // the same, of a column of 4 bytes and with codes of no more bits
	wide               // codes above low bits of row numbers in 64 bits, and what is left of the row numbers
	packed             // codes above row numbers in 64 bits
	short              // the same, with 32 bits for each
)

// A pass is a digit binning: which digit, by which kernel, from which records to which.
type pass struct {
	kernel  string
	digit   int
	wide    bool   // the tiles are those of wide records
	shift   uint64 // of the digit in the codes as this pass reads them
	rowBits uint64 // below the codes in the records that are read, or that a first pass makes
	parts   parts  // of wide records
	out     records
	first   bool // reads a column
	last    bool // writes row numbers
}

// shortRowBits is the bits of row numbers in short records.
const shortRowBits = 32

// suffixes are those of kernels that read such records.
var suffixes = map[records]string{wide: "_wide", short: "_short"}

// narrowest is the form of records with so many bits of codes.
func narrowest(codeBits, rowBits uint64) records {
	switch {
	case codeBits+shortRowBits <= 64:
		return short
	case codeBits+rowBits <= 64:
		return packed
	default:
		return wide
	}
}

// parts says how the row numbers of wide records are cut: the bits below a code are in its word, the rest is apart.
type parts struct {
	restIn  uint64 // bytes of the rest that is read
	lift    uint64 // how far codes move up first
	to      uint64 // bits below the codes that are written: sorted digits give theirs to the row numbers
	restOut uint64 // bytes of the rest that is written
}

// word is how kernels take it.
func (p parts) word() uint64 { return p.restIn | p.lift<<8 | p.to<<16 | p.restOut<<24 }

// restBytes is the bytes of what is left of row numbers, of which so many bits are with their codes.
func restBytes(rowBits, in uint64) uint64 {
	switch {
	case in >= rowBits:
		return 0
	case rowBits-in <= 8:
		return 1
	case rowBits-in <= 16:
		return 2
	default:
		return 4
	}
}

// planPasses plans the passes for some digits of a code. Wide records lose the digits that are sorted, and with them
// what is apart of the row numbers: then they are packed. Bits above the last digit are not looked at and may get lost.
func planPasses(in records, digits []digit, use []int, rowBits uint64) []pass {
	passes := make([]pass, len(use))
	top := digits[use[len(use)-1]]
	end, gone := top.shift+top.bits, uint64(0) // codes have the bits from gone to end,
	below, rest := uint64(0), uint64(4)        // above so many bits of their words, and row numbers so many bytes apart
	for i, d := range use {
		p := pass{digit: d, last: i == len(use)-1, first: in == fromColumn || in == fromShort}
		switch {
		case p.first && p.last:
			p.kernel, p.wide = "digit_binning_only", true
		case p.first:
			p.out = narrowest(end, rowBits)
			p.kernel, p.wide = "digit_binning_first", p.out == wide
			if p.wide || in == fromShort {
				p.kernel += suffixes[p.out]
			}
			if !p.wide {
				below = rowBits
			}
			if p.out == short {
				below = shortRowBits
			}
		case p.last:
			p.kernel, p.wide = "digit_binning_last"+suffixes[in], in == wide
		default:
			p.kernel, p.wide, p.out = "digit_binning_middle"+suffixes[in], in == wide, in
		}
		p.rowBits, p.shift = below, digits[d].shift-gone
		if in == short {
			p.rowBits, p.shift = shortRowBits, p.shift+below-shortRowBits
		}
		p.parts.restIn = rest
		if p.wide && !p.last {
			done := digits[d].shift + digits[d].bits
			to := 64 - (end - done)
			p.parts.lift, p.parts.to, p.parts.restOut = to-below-(done-gone), to, restBytes(rowBits, to)
			p.out = narrowest(end-done, rowBits)
			below, gone, rest = to, done, p.parts.restOut
		}
		passes[i], in = p, p.out
	}
	return passes
}

// rowBitsOf is the number of bits of row numbers below n.
func rowBitsOf(n int) uint64 { return uint64(max(1, bits.Len(uint(n-1)))) }
