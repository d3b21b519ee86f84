package gpu

import (
	"slices"
	"strings"
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
			for _, first := range []records{fromColumn, wide} {
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
						require.Equal(t, format != packed && (p.out == wide || p.drop > 0) && p.kernel != "digit_binning_only", p.tile == kernels.DigitTileWide, p.kernel)
						require.Equal(t, p.last, slices.Contains([]string{"only", "last"}, strings.Split(p.kernel, "_")[2]), p.kernel)
						if p.drop > 0 {
							gone = p.drop
						}
						if p.out == packed && !p.last {
							require.LessOrEqual(t, end-gone+rowBits, uint64(64), "width %d, row bits %d", width, rowBits)
						}
						format = p.out
					}
				}
			}
		}
	}
}

func TestRowBits(t *testing.T) {
	for n, want := range map[int]uint64{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 1 << 20: 20, 1<<20 + 1: 21, 1<<31 - 1: 31} {
		require.Equal(t, want, rowBitsOf(n), "%d rows", n)
	}
}
