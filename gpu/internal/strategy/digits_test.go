package strategy

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

var defaults = tuning.Default()

func TestDigitsAreBalanced(t *testing.T) {
	for width := 1; width <= 64; width++ {
		digits := Digits(width)
		require.Len(t, digits, (width+7)/8)
		least, most, next := uint64(99), uint64(0), uint64(0)
		for _, d := range digits {
			require.Equal(t, next, d.Shift)
			least, most, next = min(least, d.Bits), max(most, d.Bits), d.Shift+d.Bits
		}
		require.EqualValues(t, width, next)
		require.LessOrEqual(t, most-least, uint64(1))
		require.LessOrEqual(t, most, uint64(kernels.RadixBits))
	}
}

// TestPassesKeepTheBits follows the remaining bits of codes from pass to pass: every pass reads what the preceding one
// wrote, no bit that is still to be sorted is lost, and no other bit is kept.
func TestPassesKeepTheBits(t *testing.T) {
	known := map[string]bool{}
	for _, k := range kernels.All {
		known[k.Name] = true
	}
	for width := 1; width <= 64; width++ {
		for rowBits := uint64(1); rowBits <= 32; rowBits++ {
			for _, first := range []Records{FromColumn, FromShort, Wide} {
				digits := Digits(width)
				all := make([]int, len(digits))
				for i := range all {
					all[i] = i
				}
				for _, use := range [][]int{all, all[len(all)/2:], all[:len(all)/2+1], all[:1]} {
					passes := PlanPasses(first, digits, use, rowBits)
					require.Len(t, passes, len(use))
					format := first
					end := digits[use[len(use)-1]].Shift + digits[use[len(use)-1]].Bits
					// The bits that codes have lost, and their positions in the words.
					gone, at, rest := uint64(0), uint64(0), uint64(4)
					for i, p := range passes {
						what := fmt.Sprintf("%s, width %d, row bits %d", p.Kernel, width, rowBits)
						require.True(t, known[p.Kernel], what)
						require.Equal(t, use[i], p.Digit)
						require.Equal(t, i == len(passes)-1, p.Last)
						require.Equal(t, kernelOf(format, p), p.Kernel, what)
						wide := p.Tile == kernels.BinningWideTile
						require.Equal(t, format == Wide || p.Parts.to > 0 || p.Kernel == "digit_binning_only", wide,
							what)
						if i == 0 && first != Wide && !wide {
							at = p.RowBits
						}
						require.Equal(t, at+digits[p.Digit].Shift-gone, p.RowBits+p.Shift, what)
						if format == Wide {
							require.Equal(t, rest, p.Parts.RestIn, what)
							require.Equal(t, at, p.RowBits, what)
						}
						if format == short {
							require.EqualValues(t, shortRowBits, p.RowBits, what)
						}
						if wide && !p.Last {
							done := digits[p.Digit].Shift + digits[p.Digit].Bits
							require.Equal(t, at+p.Parts.lift+done-gone, p.Parts.to, what)
							gone, at, rest = done, p.Parts.to, p.Parts.RestOut
							require.GreaterOrEqual(t, at+8*rest, rowBits, "rows are cut: %s", what)
							require.Equal(t, p.Out == Wide, rest > 0, what)
						}
						if !p.Last {
							require.LessOrEqual(t, end-gone+at, uint64(64), "codes are cut: %s", what)
							require.Equal(t, p.Out == short, at >= shortRowBits, what)
						}
						if !p.Last && p.Out != Wide {
							require.GreaterOrEqual(t, at, rowBits, what)
						}
						format = p.Out
					}
				}
			}
		}
	}
}

// kernelOf is the kernel for what a pass reads and writes, by the table in kernels/abi.h.
func kernelOf(in Records, p Pass) string {
	type way struct {
		in, out Records
		last    bool
	}
	name := map[way]string{
		{FromColumn, packed, false}: "first", {FromColumn, short, false}: "first",
		{FromColumn, Wide, false}:  "first_wide",
		{FromShort, packed, false}: "first", {FromShort, short, false}: "first_short",
		{FromShort, Wide, false}: "first_wide",
		{packed, packed, false}:  "middle", {short, short, false}: "middle_short", {Wide, Wide, false}: "middle_wide",
		{Wide, packed, false}: "middle_wide", {Wide, short, false}: "middle_wide",
		{FromColumn, 0, true}: "only", {FromShort, 0, true}: "only",
		{packed, 0, true}: "last", {short, 0, true}: "last_short", {Wide, 0, true}: "last_wide",
	}[way{in, p.Out, p.Last}]
	if (in == FromColumn || in == FromShort) && p.Parts.to > 0 {
		name = "first_wide"
	}
	return "digit_binning_" + name
}

func TestPackDigits(t *testing.T) {
	shifts, bits := PackDigits(Digits(20))
	for i, d := range Digits(20) {
		require.Equal(t, d.Shift, shifts>>(8*i)&255)
		require.Equal(t, d.Bits, bits>>(8*i)&255)
	}
	require.Zero(t, bits>>24)
}

func TestVaryingDigits(t *testing.T) {
	digits := Digits(64)
	require.Equal(t, []int{0, 7}, Varying(digits, 1<<63|1<<7))
	require.Equal(t, []int{1, 6}, Varying(digits, 1<<8|1<<55))
	require.Empty(t, Varying(digits, 0))
	require.True(t, AllVary(20, 1|1<<7|1<<14))
	require.False(t, AllVary(20, 1|1<<7|1<<20))
	require.Equal(t, []int{2}, Varying(Digits(20), 1<<14|1<<40))
}

func TestRowBits(t *testing.T) {
	for n, want := range map[int]uint64{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 1 << 20: 20, 1<<20 + 1: 21, 1<<31 - 1: 31} {
		require.Equal(t, want, RowBits(&defaults, n), "%d rows", n)
	}
}

// TestPartsInAWord: kernels take a byte of each, from the lowest on.
func TestPartsInAWord(t *testing.T) {
	require.Equal(t, uint64(0x01_18_08_02), Parts{RestIn: 2, lift: 8, to: 0x18, RestOut: 1}.Word())
}

func TestTileCount(t *testing.T) {
	require.Equal(t, 1, TileCount(1, 100, 10))
	require.Equal(t, 10, TileCount(100, 100, 10))
	require.Equal(t, 11, TileCount(101, 100, 10))
	require.Equal(t, 2*11+1, TileCount(205, 101, 10)) // the last tile of a strip may not be whole
}
