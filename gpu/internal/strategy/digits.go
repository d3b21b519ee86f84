package strategy

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// Digits divides a code word of width bits into digits, the least significant first: as few as possible, of nearly
// equal width.
func Digits(width int) []Digit {
	n := (width + kernels.RadixBits - 1) / kernels.RadixBits
	digits := make([]Digit, 0, n)
	for shift := 0; n > 0; n-- {
		d := (width - shift + n - 1) / n
		digits = append(digits, Digit{uint64(shift), uint64(d)})
		shift += d
	}
	return digits
}

// A Digit is consecutive bits of a code.
type Digit struct{ Shift, Bits uint64 }

// AllVary reports whether some bit varies in every digit of a code.
func AllVary(width int, varying uint64) bool {
	digits := Digits(width)
	return len(Varying(digits, varying)) == len(digits)
}

// Varying are the digits in which some bit varies.
func Varying(digits []Digit, varying uint64) (vary []int) {
	for i, d := range digits {
		if varying>>d.Shift&(1<<d.Bits-1) != 0 {
			vary = append(vary, i)
		}
	}
	return vary
}

// PackDigits returns the digits' shifts and bits as histogram takes them: a byte for each.
func PackDigits(digits []Digit) (shifts, bits uint64) {
	for i, d := range digits {
		shifts |= d.Shift << (8 * i)
		bits |= d.Bits << (8 * i)
	}
	return shifts, bits
}

// Records are the formats of rows between passes.
type Records int

const (
	// The column: only codes, in the order of the input. The first pass adds the row numbers.
	FromColumn Records = iota
	FromShort          // a column of 4 bytes, with codes of at most 32 bits
	Wide               // codes above low bits of row numbers in 64 bits, and the high bits of the row numbers
	packed             // codes above row numbers in 64 bits
	short              // the same, with 32 bits for each
)

// A Pass is a digit binning: which digit, by which kernel, from which record format to which.
type Pass struct {
	Kernel  string
	Tile    int // rows of a tile
	Digit   int
	Shift   uint64 // of the digit in the codes as this pass reads them
	Bits    uint64 // of the digit
	RowBits uint64 // below the codes in the records that are read, or that a first pass makes
	Parts   Parts  // of wide records
	Out     Records
	Last    bool // writes row numbers
}

// ValueTile is the rows of a tile of values of 4 or 8 bytes.
func ValueTile(width int) int {
	if width == 4 {
		return kernels.BinningValueTile
	}
	return kernels.BinningTile
}

// PlanValuePasses plans the passes of keys only, values of 4 or 8 bytes, for some digits of their codes.
func PlanValuePasses(width int, digits []Digit, use []int) []Pass {
	passes := make([]Pass, len(use))
	for i, d := range use {
		passes[i] = Pass{Kernel: variant("digit_binning_values", width == 8), Tile: ValueTile(width), Digit: d,
			Shift: digits[d].Shift, Bits: digits[d].Bits}
	}
	return passes
}

// shortRowBits is the bits of row numbers in short records.
const shortRowBits = 32

// suffixes are those of kernels that read the record format.
var suffixes = map[Records]string{Wide: "_wide", short: "_short"}

// narrowest is the smallest format of records for codes and row numbers of the given bits.
func narrowest(codeBits, rowBits uint64) Records {
	switch {
	case codeBits+shortRowBits <= 64:
		return short
	case codeBits+rowBits <= 64:
		return packed
	default:
		return Wide
	}
}

// Parts describes the row numbers of wide records: low bits are in the word of the code, the high bits, the rest, in a
// separate array.
type Parts struct {
	RestIn  uint64 // bytes of the rest that is read
	lift    uint64 // bits by which codes are shifted up first
	to      uint64 // bits below the codes that are written: sorted digits give theirs to the row numbers
	RestOut uint64 // bytes of the rest that is written
}

// Word returns the parts as the kernels' argument.
func (p Parts) Word() uint64 { return p.RestIn | p.lift<<8 | p.to<<16 | p.RestOut<<24 }

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

// PlanPasses plans the passes for some digits of a code. Wide records drop the digits that are sorted, and then the
// rest of the row numbers, until they are packed. Bits above the last digit are not sorted and may be dropped.
func PlanPasses(in Records, digits []Digit, use []int, rowBits uint64) []Pass {
	passes := make([]Pass, len(use))
	top := digits[use[len(use)-1]]
	end, gone := top.Shift+top.Bits, uint64(0) // records hold the bits gone to end of codes,
	below, rest := uint64(0), uint64(4)        // above below bits; rest: separate bytes of row numbers
	for i, d := range use {
		p := Pass{Tile: kernels.BinningTile, Digit: d, Bits: digits[d].Bits, Last: i == len(use)-1}
		wide := in == Wide
		switch first := in == FromColumn || in == FromShort; {
		case first && p.Last:
			p.Kernel, wide = "digit_binning_only", true
		case first:
			p.Out = narrowest(end, rowBits)
			p.Kernel, wide = "digit_binning_first", p.Out == Wide
			if wide || in == FromShort {
				p.Kernel += suffixes[p.Out]
			}
			if !wide {
				below = rowBits
			}
			if p.Out == short {
				below = shortRowBits
			}
		case p.Last:
			p.Kernel = "digit_binning_last" + suffixes[in]
		default:
			p.Kernel, p.Out = "digit_binning_middle"+suffixes[in], in
		}
		if wide {
			p.Tile = kernels.BinningWideTile
		}
		p.RowBits, p.Shift = below, digits[d].Shift-gone
		if in == short {
			p.RowBits, p.Shift = shortRowBits, p.Shift+below-shortRowBits
		}
		p.Parts.RestIn = rest
		if wide && !p.Last {
			done := digits[d].Shift + digits[d].Bits
			to := 64 - (end - done)
			p.Parts.lift, p.Parts.to, p.Parts.RestOut = to-below-(done-gone), to, restBytes(rowBits, to)
			p.Out = narrowest(end-done, rowBits)
			below, gone, rest = to, done, p.Parts.RestOut
		}
		passes[i], in = p, p.Out
	}
	return passes
}

// RowBits is the number of bits of row numbers below n.
func RowBits(t *tuning.Table, n int) uint64 {
	return uint64(max(1, bits.Len(uint(max(n, t.RecordRows)-1))))
}

// TileCount is the number of tiles of rows that are binned in strips.
func TileCount(rows, strip, tile int) int {
	perStrip := (strip + tile - 1) / tile
	return rows/strip*perStrip + (rows%strip+tile-1)/tile
}
