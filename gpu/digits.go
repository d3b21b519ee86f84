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
	fromColumn records = iota // nothing but the codes, in the order of the input: the first pass makes the row numbers up
	fromShort                 // the same, of a column of 4 bytes and with codes of no more bits
	wide                      // codes of 64 bits, and row numbers
	packed                    // codes above row numbers in 64 bits
	short                     // the same, with 32 bits for each
)

// A pass is a digit binning: which digit, by which kernel, from which records to which.
type pass struct {
	kernel  string
	digit   int
	wide    bool   // the tiles are those of wide records
	shift   uint64 // of the digit in the codes as this pass reads them
	drop    uint64 // bits of the codes that this pass leaves out
	rowBits uint64 // of packed records, read or written
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

// planPasses plans the passes for some digits of a code. Records are packed as soon as the bits that are left of a code fit
// above a row number. Bits above the last digit are not looked at and may get lost.
func planPasses(in records, digits []digit, use []int, rowBits uint64) []pass {
	passes := make([]pass, len(use))
	top := digits[use[len(use)-1]]
	end, gone := top.shift+top.bits, uint64(0)
	for i, d := range use {
		p := pass{digit: d, shift: digits[d].shift - gone, last: i == len(use)-1}
		done := digits[d].shift + digits[d].bits
		p.first = in == fromColumn || in == fromShort
		switch {
		case p.first && p.last:
			p.kernel, p.wide = "digit_binning_only", true
		case p.first:
			p.out = narrowest(end, rowBits)
			p.kernel, p.wide = "digit_binning_first", p.out == wide
			if p.wide || in == fromShort {
				p.kernel += suffixes[p.out]
			}
		case in == wide && !p.last && narrowest(end-done, rowBits) != wide:
			p.out = narrowest(end-done, rowBits)
			p.kernel, p.wide, p.drop = "digit_binning_narrow", true, done
			gone = done
		case p.last:
			p.kernel, p.wide = "digit_binning_last"+suffixes[in], in == wide
		default:
			p.kernel, p.wide, p.out = "digit_binning_middle"+suffixes[in], in == wide, in
		}
		p.rowBits = rowBits
		if in == short || p.out == short {
			p.rowBits = shortRowBits
		}
		passes[i], in = p, p.out
	}
	return passes
}

// rowBitsOf is the number of bits of row numbers below n.
func rowBitsOf(n int) uint64 { return uint64(max(1, bits.Len(uint(n-1)))) }
