package gpu

import "math/bits"

// prefixCounts are the numbers of different prefixes of sampled codes, for each number of bits by which codes are
// shifted: of all prefixes, of those of one sampled row, and of two.
type prefixCounts [64][3]uint64

// prefixes estimates how many prefixes the whole column has, by the estimator of Chao (1984): those of the sample, and
// the more others, the more of these were sampled only once.
func (c *prefixCounts) prefixes(shift int) int {
	all, once, twice := c[shift][0], c[shift][1], c[shift][2]
	return int(all + once*max(once, 1)/(2*(twice+1)))
}

// shift returns by how many bits to shift codes, so that the ranks of prefixes and the other bits have the fewest
// digits. ok is false where these are more than digits, or the prefixes more than most.
func (c *prefixCounts) shift(digits, most int) (shift int, ok bool) {
	fewest := digits
	for s := range c {
		prefixes := c.prefixes(s)
		if prefixes > most {
			continue
		}
		n := len(digitsOf(s + bits.Len(uint(prefixes-1))))
		if n < fewest || n == fewest && (!ok || shift > 0) { // the fewer prefixes the better, but ranks alone are best
			fewest, shift, ok = n, s, true
		}
	}
	return shift, ok
}

// dictionaryLimits returns the most digits that codes of n rows may have after a dictionary has taken time, where they
// had the given number before, and the most prefixes that an estimate may be. A dictionary takes about as long as 3
// digits of 8-byte codes, and 0.15 ms. Of fewer rows a large one takes too long.
func dictionaryLimits(digits, n int) (fewer, most int) {
	switch {
	case n < thresholds.dictionaryRows:
		return 0, 0
	case n < 4*thresholds.dictionaryRows:
		return digits - 4, thresholds.dictionaryPrefixes / 50
	default:
		return digits - 3, thresholds.dictionaryPrefixes
	}
}
