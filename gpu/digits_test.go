package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

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

// TestPassesKeepTheBits follows what is left of codes from pass to pass: every pass reads what the one before wrote, no bit that is still to
// be sorted is lost, and nothing else is carried than must be.
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
					format, gone := first, uint64(0)
					end := digits[use[len(use)-1]].shift + digits[use[len(use)-1]].bits
					for i, p := range passes {
						require.True(t, known[p.kernel], p.kernel)
						require.Equal(t, use[i], p.digit)
						require.Equal(t, digits[p.digit].shift, p.shift+gone)
						require.Equal(t, i == len(passes)-1, p.last)
						if p.drop > 0 {
							gone = p.drop
						}
						require.Equal(t, p.kernel, kernelOf(format, p), "width %d, row bits %d", width, rowBits)
						require.Equal(t, format == wide || p.out == wide || p.kernel == "digit_binning_only", p.wide, p.kernel)
						if !p.last && p.out != wide {
							require.LessOrEqual(t, end-gone+p.rowBits, uint64(64), "width %d, row bits %d", width, rowBits)
							require.GreaterOrEqual(t, p.rowBits, rowBits)
						}
						if format == short || format == packed {
							require.Equal(t, passes[i-1].rowBits, p.rowBits)
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
		{fromColumn, packed, false}: "first", {fromColumn, short, false}: "first", {fromColumn, wide, false}: "first_wide",
		{fromShort, packed, false}: "first", {fromShort, short, false}: "first_short", {fromShort, wide, false}: "first_wide",
		{packed, packed, false}: "middle", {short, short, false}: "middle_short", {wide, wide, false}: "middle_wide",
		{wide, packed, false}: "narrow", {wide, short, false}: "narrow",
		{fromColumn, 0, true}: "only", {fromShort, 0, true}: "only",
		{packed, 0, true}: "last", {short, 0, true}: "last_short", {wide, 0, true}: "last_wide",
	}[way{in, p.out, p.last}]
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
		require.Equal(t, want, rowBitsOf(n), "%d rows", n)
	}
}
