package strategy

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// PrefixCounts are PrefixCounts of kernels/abi.h: of the prefixes of a sample.
type PrefixCounts struct {
	// Prefixes are the numbers of different prefixes, for each number of bits by which codes are shifted: of all, of
	// those of one sampled row, and of two.
	Prefixes [64][3]uint64
	Varying  uint64 // bits in which sampled codes differ
}

// estimate estimates how many prefixes the whole column has, by the estimator of Chao (1984): those of the sample, and
// the more others, the more of these were sampled only once.
func (c *PrefixCounts) estimate(shift int) int {
	all, once, twice := c.Prefixes[shift][0], c.Prefixes[shift][1], c.Prefixes[shift][2]
	return int(all + once*once/(2*(twice+1)))
}

// Shift returns by how many bits to shift codes, so that the ranks of prefixes and the other bits have the fewest
// digits, with room for 1/8 more prefixes. Ranks alone are the best; else the fewer prefixes, the better. ok is false
// where the digits are more than digits, the bits more than width, or the prefixes more than most: mostWhole where they
// are whole codes, so that ranks are alone.
func (c *PrefixCounts) Shift(digits, width, most, mostWhole int) (shift int, ok bool) {
	fewest := digits
	for s := range c.Prefixes {
		prefixes := c.estimate(s)
		bits := s + bits.Len(uint(prefixes+prefixes/8))
		n := len(Digits(bits))
		tooMany := prefixes > most && (s > 0 || prefixes > mostWhole)
		if tooMany || bits > width || n > fewest || n == fewest && ok && shift == 0 {
			continue
		}
		fewest, shift, ok = n, s, true
	}
	return shift, ok
}

// MostRanks is the most prefixes whose ranks, above codes shifted by a number of bits, have no more digits and bits
// than the given ones.
func MostRanks(digits, width, shift int) int {
	return 1 << max(0, min(kernels.RadixBits*digits, width, 62)-shift)
}

// EncodedDigits is the most digits that codes of n rows may have after a dictionary has taken time, where they had the
// given number before. A dictionary takes about as long as 3 digits of 8-byte codes, and 0.15 ms.
func EncodedDigits(t *tuning.Table, digits, n int) int {
	switch {
	case n < t.DictionaryRows:
		return 0
	case n < 4*t.DictionaryRows:
		return digits - 4
	default:
		return digits - 3
	}
}

// MostEstimated is the most prefixes of n rows that an estimate may be, and the most whole codes, whose ranks have
// fewer digits. Of fewer rows a large dictionary takes too long, and many more prefixes than a sample suggests may turn
// up.
func MostEstimated(t *tuning.Table, n int) (prefixes, whole int) {
	if n < 4*t.DictionaryRows {
		return t.DictionaryPrefixes / 50, t.DictionaryPrefixes / 30
	}
	return t.DictionaryPrefixes, t.DictionaryPrefixes
}
