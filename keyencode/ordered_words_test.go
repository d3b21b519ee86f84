package keyencode

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEncodeWords compares the words of all pairs of float64 rows with the words of a plan, which other tests hold to
// the order.
func TestEncodeWords(t *testing.T) {
	values := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1), math.NaN(), math.Copysign(math.NaN(), -1)}
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	ints := slices.Clone(raw)
	for _, c := range []Column{
		{Kind: Float64, Chunks: []Chunk{{Rows: len(values), Values: raw}}},
		{Kind: Int64, Chunks: []Chunk{{Rows: len(values), Values: ints}}},
		{Kind: Float32, Chunks: []Chunk{{Rows: 2 * len(values), Values: raw}}},
		{Kind: Uint16, Chunks: []Chunk{{Rows: 3*len(values) - 1, Offset: 1, Values: raw}}},
		{Kind: Int8, Chunks: []Chunk{{Rows: 8 * len(values), Values: raw}}},
	} {
		for _, order := range []Order{Ascending, Descending} {
			for _, nulls := range []NullPlacement{NullsAtEnd, NullsAtStart} {
				key := Key{Order: order, Nulls: nulls}
				n := c.Rows()
				stats := Measure(&c, key, 0, n)
				plan, err := NewPlan([]Column{c}, []Key{key}, []Statistics{stats})
				require.NoError(t, err)
				want, got := make([]uint64, n), make([]uint64, n)
				plan.Encode(want, 0)
				require.True(t, EncodeWords(got, &c, key, 0))
				words, ok := NewWordPlan([]Column{c}, key)
				require.True(t, ok)
				require.False(t, words.Sorted() || words.Reversed())
				again := make([]uint64, n)
				words.Encode(again, 0)
				require.Equal(t, got, again)
				for i := range n {
					for j := range n {
						if (want[i] < want[j]) != (got[i] < got[j]) {
							t.Fatalf(
								"kind %d, order %d, nulls %d: rows %d and %d have words %#x and %#x, codes %#x and %#x",
								c.Kind, order, nulls, i, j, got[i], got[j], want[i], want[j],
							)
						}
					}
				}
			}
		}
	}
	require.False(t, EncodeWords(nil, &Column{Kind: Decimal128, Chunks: make([]Chunk, 1)}, Key{}, 0))
	require.False(t, EncodeWords(nil, &Column{Kind: Int8, Chunks: []Chunk{{Validity: []byte{1}}}}, Key{}, 0))
}
