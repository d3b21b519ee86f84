package keyencode

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
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
	nullable := rowsOf(Int8, true)
	require.False(t, EncodeWords(nil, &nullable, Key{}, 0))
}

// rowsOf returns a column of rows without values.
func rowsOf(kind Kind, nullable bool) Column {
	c := Column{Kind: kind, Width: 3, Chunks: []Chunk{{Rows: 1}}}
	if nullable {
		c.Chunks[0].Validity = []byte{0}
	}
	return c
}

// TestDecodeWords decodes the words of values of every kind: they come back, the zeros and NaN as one of them.
func TestDecodeWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	for kind := Int8; kind <= Float64; kind++ {
		width := (&Column{Kind: kind}).ValueBytes()
		const n = 300
		values := make([]byte, n*width)
		for i := range values {
			values[i] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(6)]
		}
		for mode := range 4 {
			key := Key{Order: Order(mode & 1), Nulls: NullPlacement(mode >> 1)}
			c := Column{Kind: kind, Chunks: []Chunk{{Rows: n, Values: values}}}
			words, again, decoded := make([]uint64, n), make([]uint64, n), make([]byte, len(values))
			require.True(t, EncodeWords(words, &c, key, 0))
			require.Equal(t, n, DecodeWords(decoded, words, kind, key))
			c.Chunks[0].Values = decoded
			require.True(t, EncodeWords(again, &c, key, 0))
			require.Equal(t, words, again, "%d %+v", kind, key)
			if !kind.isFloat() {
				require.Equal(t, values, decoded, "%d %+v", kind, key)
			}
		}
	}
}

func TestDecodeWordsOfFloats(t *testing.T) {
	for _, key := range []Key{{}, {Order: Descending, Nulls: NullsAtStart}} {
		values := []float64{math.Copysign(0, -1), -math.NaN(), math.Inf(1), -1.5}
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		c := Column{Kind: Float64, Chunks: []Chunk{{Rows: 4, Values: b}}}
		words := make([]uint64, 4)
		require.True(t, EncodeWords(words, &c, key, 0))
		null := NullWord(Float64, key)
		require.NotContains(t, words, null)
		decoded := make([]byte, 40)
		require.Equal(t, 5, DecodeWords(decoded, append(words, null), Float64, key))
		var got []uint64
		for ; len(decoded) > 0; decoded = decoded[8:] {
			got = append(got, binary.LittleEndian.Uint64(decoded))
		}
		want := []uint64{0, 0x7ff8_0000_0000_0000, math.Float64bits(math.Inf(1)), math.Float64bits(-1.5), 0}
		require.Equal(t, want, got)
	}
}

// TestDecodeForeignWords has words that EncodeWords does not make.
func TestDecodeForeignWords(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		key  Key
		word uint64
	}{
		{Int8, Key{}, 1 << 8}, {Uint16, Key{}, 1 << 16}, {Int32, Key{Order: Descending}, 1 << 32},
		{Float16, Key{}, 1 << 16}, {Float16, Key{}, 0}, {Float16, Key{}, 1}, {Float16, Key{}, 0xfffd},
		{Float32, Key{Nulls: NullsAtStart}, 2}, {Float32, Key{Nulls: NullsAtStart}, math.MaxUint32},
		{Float64, Key{}, 1<<63 + 0x7ff0_0000_0000_0001}, {Float64, Key{Order: Descending}, 1},
	} {
		t.Run(fmt.Sprintf("%d/%x", c.kind, c.word), func(t *testing.T) {
			words := []uint64{1 << 7 << (8*(&Column{Kind: c.kind}).ValueBytes() - 8), c.word}
			require.Equal(t, 1, DecodeWords(make([]byte, 16), words, c.kind, c.key))
		})
	}
	require.Zero(t, DecodeWords(nil, []uint64{0}, Decimal128, Key{}))
}
