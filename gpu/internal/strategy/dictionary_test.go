package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// countsOf counts the prefixes of codes as the device does.
func countsOf(codes []uint64) *PrefixCounts {
	counts := &PrefixCounts{}
	for _, code := range codes {
		counts.Varying |= code ^ codes[0]
	}
	for shift := range counts.Prefixes {
		rows := map[uint64]int{}
		for _, code := range codes {
			rows[code>>shift]++
		}
		for _, n := range rows {
			counts.Prefixes[shift][0]++
			if n <= 2 {
				counts.Prefixes[shift][n]++
			}
		}
	}
	return counts
}

// sampleOf draws codes.
func sampleOf(n int, code func(r *rand.Rand) uint64) []uint64 {
	r, codes := rand.New(rand.NewPCG(1, 2)), make([]uint64, n)
	for i := range codes {
		codes[i] = code(r)
	}
	return codes
}

// TestPrefixes estimates how many values a column has, of which a sample has seen a part.
func TestPrefixes(t *testing.T) {
	for _, values := range []int{1, 2, 1000, 100_000, 1_000_000} {
		counts := countsOf(sampleOf(1<<14, func(r *rand.Rand) uint64 { return r.Uint64N(uint64(values)) }))
		require.InEpsilon(t, values, counts.estimate(0), 0.3)
	}
	all := countsOf(sampleOf(1<<14, func(r *rand.Rand) uint64 { return r.Uint64() }))
	require.Greater(t, all.estimate(0), 1<<26, "no value twice")
	require.Equal(t, ^uint64(0), all.Varying)
}

// TestShift chooses the bits of codes that a dictionary replaces by ranks.
func TestShift(t *testing.T) {
	many := defaults.DictionaryPrefixes
	for _, c := range []struct {
		name         string
		code         func(r *rand.Rand) uint64
		digits, most int
		shift        []int // any of them; none: no dictionary
	}{
		{"few values, whose bits all vary", func(r *rand.Rand) uint64 { return mixed(r.Uint64N(1000)) }, 5, many,
			[]int{0}},
		{"few values, one digit", func(r *rand.Rand) uint64 { return 1 << r.Uint64N(64) }, 5, many, []int{0}},
		{"clusters of 16 bits", func(r *rand.Rand) uint64 { return mixed(r.Uint64N(100))<<16 | r.Uint64N(1<<16) }, 5,
			many, []int{16, 17}},
		{"32 bits below 2^16 prefixes: 6 digits",
			func(r *rand.Rand) uint64 { return mixed(r.Uint64N(1<<16))<<32 | r.Uint64N(1<<32) }, 5, many, nil},
		{"32 bits below 50,000 prefixes, where 6 digits are few enough",
			func(r *rand.Rand) uint64 { return mixed(r.Uint64N(50_000))<<32 | r.Uint64N(1<<32) }, 6, many, []int{32}},
		{"16 bits, no room for one more", func(r *rand.Rand) uint64 { return r.Uint64N(1 << 16) }, 2, many, nil},
		{"random", func(r *rand.Rand) uint64 { return r.Uint64() }, 5, many, nil},
		{"too many values", func(r *rand.Rand) uint64 { return mixed(r.Uint64N(1000)) }, 5, 500, nil},
	} {
		shift, ok := countsOf(sampleOf(1<<13, c.code)).Shift(c.digits, 64, c.most, c.most)
		require.Equal(t, c.shift != nil, ok, c.name)
		require.True(t, !ok || slices.Contains(c.shift, shift), "%s: %d", c.name, shift)
	}
	// 1,000 are too many prefixes, but not too many whole codes.
	few := countsOf(sampleOf(1<<13, func(r *rand.Rand) uint64 { return mixed(r.Uint64N(1000)) }))
	shift, ok := few.Shift(5, 64, 500, 2000)
	require.True(t, ok && shift == 0)
	for width, fits := range map[int]bool{10: false, 11: true, 64: true} { // 1/8 more than 1000 values have 11 bits
		_, ok := few.Shift(5, width, many, many)
		require.Equal(t, fits, ok, "%d bits", width)
	}
}

// TestMostRanks: ranks of the most prefixes fill the bits that digits and width leave above the low bits of codes.
func TestMostRanks(t *testing.T) {
	for _, c := range []struct{ digits, width, shift, most int }{
		{4, 64, 17, 1 << 15}, {4, 30, 17, 1 << 13}, {2, 64, 16, 1}, {1, 64, 20, 1}, {3, 64, 0, 1 << 24},
	} {
		require.Equal(t, c.most, MostRanks(c.digits, c.width, c.shift), "%+v", c)
	}
	require.Greater(t, MostRanks(8, 64, 0), defaults.DictionaryPrefixes)
}

// mixed makes a number that looks random of one that does not, one to one.
func mixed(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	return x ^ x>>31
}

// TestEncodedDigits has a dictionary save the more digits, the fewer rows there are.
func TestEncodedDigits(t *testing.T) {
	rows := defaults.DictionaryRows
	for _, c := range []struct{ rows, fewer int }{{rows - 1, 0}, {rows, 4}, {4*rows - 1, 4}, {4 * rows, 5}} {
		require.Equal(t, c.fewer, EncodedDigits(&defaults, 8, c.rows), "%d rows", c.rows)
	}
	most, mostWhole := MostEstimated(&defaults, rows)
	mostOfMany, _ := MostEstimated(&defaults, 4*rows)
	require.True(t, most < mostWhole && mostWhole < mostOfMany)
}
