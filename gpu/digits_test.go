package gpu

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
		digits := digitsOf(width)
		require.Len(t, digits, (width+7)/8)
		least, most, next := uint64(99), uint64(0), uint64(0)
		for _, d := range digits {
			require.Equal(t, next, d.shift)
			least, most, next = min(least, d.bits), max(most, d.bits), d.shift+d.bits
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
			for _, first := range []records{fromColumn, fromShort, wide} {
				digits := digitsOf(width)
				all := make([]int, len(digits))
				for i := range all {
					all[i] = i
				}
				for _, use := range [][]int{all, all[len(all)/2:], all[:len(all)/2+1], all[:1]} {
					passes := planPasses(first, digits, use, rowBits)
					require.Len(t, passes, len(use))
					format := first
					end := digits[use[len(use)-1]].shift + digits[use[len(use)-1]].bits
					// The bits that codes have lost, and their positions in the words.
					gone, at, rest := uint64(0), uint64(0), uint64(4)
					for i, p := range passes {
						what := fmt.Sprintf("%s, width %d, row bits %d", p.kernel, width, rowBits)
						require.True(t, known[p.kernel], what)
						require.Equal(t, use[i], p.digit)
						require.Equal(t, i == len(passes)-1, p.last)
						require.Equal(t, kernelOf(format, p), p.kernel, what)
						require.Equal(t, format == wide || p.parts.to > 0 || p.kernel == "digit_binning_only", p.wide,
							what)
						if p.first && !p.wide {
							at = p.rowBits
						}
						require.Equal(t, at+digits[p.digit].shift-gone, p.rowBits+p.shift, what)
						if format == wide {
							require.Equal(t, rest, p.parts.restIn, what)
							require.Equal(t, at, p.rowBits, what)
						}
						if format == short {
							require.EqualValues(t, shortRowBits, p.rowBits, what)
						}
						if p.wide && !p.last {
							done := digits[p.digit].shift + digits[p.digit].bits
							require.Equal(t, at+p.parts.lift+done-gone, p.parts.to, what)
							gone, at, rest = done, p.parts.to, p.parts.restOut
							require.GreaterOrEqual(t, at+8*rest, rowBits, "rows are cut: %s", what)
							require.Equal(t, p.out == wide, rest > 0, what)
						}
						if !p.last {
							require.LessOrEqual(t, end-gone+at, uint64(64), "codes are cut: %s", what)
							require.Equal(t, p.out == short, at >= shortRowBits, what)
						}
						if !p.last && p.out != wide {
							require.GreaterOrEqual(t, at, rowBits, what)
						}
						format = p.out
					}
				}
			}
		}
	}
}

// kernelOf is the kernel for what a pass reads and writes, by the table in kernels/abi.h.
func kernelOf(in records, p pass) string {
	type way struct {
		in, out records
		last    bool
	}
	name := map[way]string{
		{fromColumn, packed, false}: "first", {fromColumn, short, false}: "first",
		{fromColumn, wide, false}:  "first_wide",
		{fromShort, packed, false}: "first", {fromShort, short, false}: "first_short",
		{fromShort, wide, false}: "first_wide",
		{packed, packed, false}:  "middle", {short, short, false}: "middle_short", {wide, wide, false}: "middle_wide",
		{wide, packed, false}: "middle_wide", {wide, short, false}: "middle_wide",
		{fromColumn, 0, true}: "only", {fromShort, 0, true}: "only",
		{packed, 0, true}: "last", {short, 0, true}: "last_short", {wide, 0, true}: "last_wide",
	}[way{in, p.out, p.last}]
	if p.first && p.parts.to > 0 {
		name = "first_wide"
	}
	return "digit_binning_" + name
}

func TestPackDigits(t *testing.T) {
	shifts, bits := packDigits(digitsOf(20))
	for i, d := range digitsOf(20) {
		require.Equal(t, d.shift, shifts>>(8*i)&255)
		require.Equal(t, d.bits, bits>>(8*i)&255)
	}
	require.Zero(t, bits>>24)
}

func TestVaryingDigits(t *testing.T) {
	digits := digitsOf(64)
	require.Equal(t, []int{0, 7}, varyingDigits(digits, 1<<63|1<<7))
	require.Equal(t, []int{1, 6}, varyingDigits(digits, 1<<8|1<<55))
	require.Empty(t, varyingDigits(digits, 0))
	require.True(t, allVary(20, 1|1<<7|1<<14))
	require.False(t, allVary(20, 1|1<<7|1<<20))
	require.Equal(t, []int{2}, varyingDigits(digitsOf(20), 1<<14|1<<40))
}

func TestRowBits(t *testing.T) {
	for n, want := range map[int]uint64{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 1 << 20: 20, 1<<20 + 1: 21, 1<<31 - 1: 31} {
		require.Equal(t, want, rowBitsOf(&defaults, n), "%d rows", n)
	}
}

// TestPartsInAWord: kernels take a byte of each, from the lowest on.
func TestPartsInAWord(t *testing.T) {
	require.Equal(t, uint64(0x01_18_08_02), parts{restIn: 2, lift: 8, to: 0x18, restOut: 1}.word())
}
