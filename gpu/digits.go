package gpu

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// digitsOf divides a code word of width bits into digits, the least significant first: as few as possible, of nearly
// equal width.
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

// A digit is consecutive bits of a code.
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

// packDigits returns the digits' shifts and bits as histogram takes them: a byte for each.
func packDigits(digits []digit) (shifts, bits uint64) {
	for i, d := range digits {
		shifts |= d.shift << (8 * i)
		bits |= d.bits << (8 * i)
	}
	return shifts, bits
}

// records are the formats of rows between passes.
type records int

const (
	// The column: only codes, in the order of the input. The first pass adds the row numbers.
	fromColumn records = iota
	fromShort          // a column of 4 bytes, with codes of at most 32 bits
	wide               // codes above low bits of row numbers in 64 bits, and the high bits of the row numbers
	packed             // codes above row numbers in 64 bits
	short              // the same, with 32 bits for each
)

// A pass is a digit binning: which digit, by which kernel, from which record format to which.
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

// tile is the rows of a tile.
func (p pass) tile() int {
	if p.wide {
		return kernels.BinningWideTile
	}
	return kernels.BinningTile
}

// shortRowBits is the bits of row numbers in short records.
const shortRowBits = 32

// suffixes are those of kernels that read the record format.
var suffixes = map[records]string{wide: "_wide", short: "_short"}

// narrowest is the smallest format of records for codes and row numbers of the given bits.
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

// parts describes the row numbers of wide records: low bits are in the word of the code, the high bits, the rest, in a
// separate array.
type parts struct {
	restIn  uint64 // bytes of the rest that is read
	lift    uint64 // bits by which codes are shifted up first
	to      uint64 // bits below the codes that are written: sorted digits give theirs to the row numbers
	restOut uint64 // bytes of the rest that is written
}

// word returns the parts as the kernels' argument.
func (p parts) word() uint64 { return p.restIn | p.lift<<8 | p.to<<16 | p.restOut<<24 }

// restBytes is the bytes of the rest of row numbers, of which in bits are in the word of the code.
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

// planPasses plans the passes for some digits of a code. Wide records drop the digits that are sorted, and then the
// rest of the row numbers, until they are packed. Bits above the last digit are not sorted and may be dropped.
func planPasses(in records, digits []digit, use []int, rowBits uint64) []pass {
	passes := make([]pass, len(use))
	top := digits[use[len(use)-1]]
	end, gone := top.shift+top.bits, uint64(0) // records hold the bits gone to end of codes,
	below, rest := uint64(0), uint64(4)        // above below bits; rest: separate bytes of row numbers
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
func rowBitsOf(t *tuning.Table, n int) uint64 {
	return uint64(max(1, bits.Len(uint(max(n, t.RecordRows)-1))))
}
