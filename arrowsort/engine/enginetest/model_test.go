package enginetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

// TestModelOfFloats writes the order of special floats down by hand, in the four modes.
func TestModelOfFloats(t *testing.T) {
	floats := []float64{
		math.NaN(), 1, math.Inf(-1), 0, math.Copysign(0, -1), -1, math.Float64frombits(math.MaxUint64), math.Inf(1), 5,
	}
	chunk := keyencode.Chunk{Rows: 9, Validity: []byte{0xFF, 0}} // the last row is null
	for _, f := range floats {
		chunk.Values = append(chunk.Values, little(math.Float64bits(f), 8)...)
	}
	columns := []keyencode.Column{{Kind: keyencode.Float64, Chunks: []keyencode.Chunk{chunk}}}
	for _, c := range []struct {
		key  keyencode.Key
		want []int
	}{
		{keyencode.Key{}, []int{2, 5, 3, 4, 1, 7, 0, 6, 8}},
		{keyencode.Key{Order: keyencode.Descending}, []int{7, 1, 3, 4, 5, 2, 0, 6, 8}},
		{keyencode.Key{Nulls: keyencode.NullsAtStart}, []int{8, 0, 6, 2, 5, 3, 4, 1, 7}},
		{keyencode.Key{Order: keyencode.Descending, Nulls: keyencode.NullsAtStart}, []int{8, 0, 6, 7, 1, 3, 4, 5, 2}},
	} {
		m := newModel(columns, []keyencode.Key{c.key})
		for i := 1; i < len(c.want); i++ {
			require.NoError(t, m.verifyStep(c.want[i-1], c.want[i]), "%+v", c.key)
			require.Error(t, m.verifyStep(c.want[i], c.want[i-1]), "%+v", c.key)
		}
	}
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x3C00: 1, 0xC000: -2, 0x7BFF: 65504, 0x0400: 6.103515625e-05, 0x0001: 5.9604644775390625e-08,
		0x3555: 0.333251953125, 0xFC00: math.Inf(-1),
	} {
		require.Equal(t, want, half(bits), "%#x", bits)
	}
	require.True(t, math.IsNaN(half(0x7C01)))
	require.True(t, math.Signbit(half(0x8000)))
}

// TestCompareLimbs compares decimals around the borders of limbs.
func TestCompareLimbs(t *testing.T) {
	number := func(limbs ...uint64) (b []byte) { // least significant first
		for _, limb := range limbs {
			b = append(b, little(limb, 8)...)
		}
		return b
	}
	const ones = math.MaxUint64
	rising := [][]byte{
		number(0, 1<<63), number(ones, 1<<63), number(0, ones), number(ones, ones), number(0, 0), number(1, 0),
		number(1<<63, 0), number(ones, 0), number(0, 1), number(ones, ones>>1),
	}
	for i := range rising {
		for j := range rising {
			got := compareValues(keyencode.Decimal128, rising[i], rising[j])
			require.Equal(t, i < j, got < 0, "%d %d", i, j)
			require.Equal(t, i == j, got == 0, "%d %d", i, j)
		}
	}
}
