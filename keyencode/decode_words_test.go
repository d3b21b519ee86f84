package keyencode

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

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
