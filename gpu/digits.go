package gpu

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/kernels"
)

// digitsOf cuts a code word of so many bits into digits, the least significant first: as few as can be, and as equal as
// can be.
func digitsOf(width int) []abiDigit {
	n := (width + kernels.RadixBits - 1) / kernels.RadixBits
	digits := make([]abiDigit, 0, n)
	for shift := 0; n > 0; n-- {
		d := (width - shift + n - 1) / n
		digits = append(digits, abiDigit{uint64(shift), uint64(d)})
		shift += d
	}
	return digits
}

// Records are how rows travel from pass to pass.
type records int

const (
	fromColumn records = iota // nothing but the codes, in the order of the input: the first pass makes the row numbers up
	wide                      // codes of 64 bits, and row numbers
	packed                    // codes above row numbers in 64 bits
)

// A pass is a digit binning: which digit, by which kernel, from which records to which.
type pass struct {
	kernel string
	digit  int
	tile   int    // rows of a tile
	shift  uint64 // of the digit in the codes as this pass reads them
	drop   uint64 // bits of the codes that this pass leaves out
	out    records
	last   bool // writes row numbers
}

// planPasses plans the passes for some digits of a code. Records are packed as soon as the bits that are left of a code fit
// above a row number. Bits above the last digit are not looked at and may get lost.
func planPasses(in records, digits []abiDigit, use []int, rowBits uint64) []pass {
	passes := make([]pass, len(use))
	top := digits[use[len(use)-1]]
	end, gone := top.shift+top.bits, uint64(0)
	for i, d := range use {
		done := digits[d].shift + digits[d].bits
		p := pass{digit: d, tile: kernels.DigitTileWide, shift: digits[d].shift - gone, out: wide, last: i == len(use)-1}
		switch {
		case in == fromColumn && p.last:
			p.kernel, p.tile = "digit_binning_only", kernels.DigitTile
		case in == fromColumn && end+rowBits <= 64:
			p.kernel, p.tile, p.out = "digit_binning_first", kernels.DigitTile, packed
		case in == fromColumn:
			p.kernel = "digit_binning_first_wide"
		case in == wide && p.last:
			p.kernel = "digit_binning_last_wide"
		case in == wide && end-done+rowBits <= 64:
			p.kernel, p.out, p.drop = "digit_binning_narrow", packed, done
			gone = done
		case in == wide:
			p.kernel = "digit_binning_middle_wide"
		case p.last:
			p.kernel, p.tile = "digit_binning_last", kernels.DigitTile
		default:
			p.kernel, p.tile, p.out = "digit_binning_middle", kernels.DigitTile, packed
		}
		passes[i], in = p, p.out
	}
	return passes
}

// rowBitsOf is the number of bits of row numbers below n.
func rowBitsOf(n int) uint64 { return uint64(max(1, bits.Len(uint(n-1)))) }
