package referenceorder

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireRising compares each cell with each; cells at places of one rank tie.
func requireRising(t *testing.T, k Key, cells []Cell, ranks []int) {
	t.Helper()
	for i := range cells {
		for j := range cells {
			c := k.Compare(cells[i], cells[j])
			require.Equal(t, ranks[i] < ranks[j], c < 0, "%+v: %d and %d", k, i, j)
			require.Equal(t, ranks[i] == ranks[j], c == 0, "%+v: %d and %d", k, i, j)
		}
	}
}

// TestFloats writes the ranks of special floats down by hand, in the four modes.
func TestFloats(t *testing.T) {
	var cells []Cell
	for _, f := range []float64{math.NaN(), 1, math.Inf(-1), 0, math.Copysign(0, -1), -1,
		math.Float64frombits(math.MaxUint64), math.Inf(1), 5} {
		cells = append(cells, Cell{Value: binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))})
	}
	cells = append(cells, Cell{Null: true})
	requireRising(t, Key{Kind: Float}, cells, []int{7, 3, 0, 2, 2, 1, 7, 5, 4, 8})
	requireRising(t, Key{Kind: Float, Descending: true}, cells, []int{7, 2, 5, 3, 3, 4, 7, 0, 1, 8})
	requireRising(t, Key{Kind: Float, NullsFirst: true}, cells, []int{-1, 3, 0, 2, 2, 1, -1, 5, 4, -2})
	requireRising(t, Key{Kind: Float, NullsFirst: true, Descending: true}, cells,
		[]int{-1, 2, 5, 3, 3, 4, -1, 0, 1, -2})
}

// TestIntegers has numbers around the borders of words.
func TestIntegers(t *testing.T) {
	const ones = math.MaxUint64
	var cells []Cell
	for _, words := range [][2]uint64{{0, 0}, {1, 0}, {1 << 63, 0}, {ones, 0}, {0, 1}, {ones, ones >> 1}, {0, 1 << 63},
		{ones, 1 << 63}, {0, ones}, {ones, ones}} {
		v := binary.LittleEndian.AppendUint64(nil, words[0])
		cells = append(cells, Cell{Value: binary.LittleEndian.AppendUint64(v, words[1])})
	}
	requireRising(t, Key{Kind: Unsigned}, cells, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	requireRising(t, Key{Kind: Signed}, cells, []int{0, 1, 2, 3, 4, 5, -4, -3, -2, -1})
}

func TestBytes(t *testing.T) {
	var cells []Cell
	for _, text := range []string{"", "\x00", "a", "a\x00", "ab", "b", "\xff"} {
		cells = append(cells, Cell{Value: []byte(text)})
	}
	requireRising(t, Key{}, cells, []int{0, 1, 2, 3, 4, 5, 6})
	requireRising(t, Key{Descending: true}, cells, []int{6, 5, 4, 3, 2, 1, 0})
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
