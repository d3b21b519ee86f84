package buffers

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestViews(t *testing.T) {
	b := []byte{1, 0, 0, 0, 2, 0, 0, 0xff, 9}
	require.Equal(t, []uint32{1, 0xff000002}, View[uint32](b))
	require.Equal(t, []uint16{0, 2, 0xff00}, Values[uint16](b, 1, 3))
	require.Panics(t, func() { Values[uint16](b, 3, 2) })
	require.Equal(t, b[:8], Bytes(View[int32](b)))
	require.Empty(t, View[uint64](nil))
	require.Empty(t, Bytes[uint64](nil))
}

func TestIndex(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	require.EqualValues(t, 2, Index(b, 1, 1))
	require.EqualValues(t, 0x0403, Index(b, 2, 1))
	require.EqualValues(t, 0x08070605, Index(b, 4, 1))
	require.EqualValues(t, 0x100f0e0d0c0b0a09, Index(b, 8, 1))
}

func TestPrefixSum(t *testing.T) {
	counts := []uint32{3, 0, 5, math.MaxUint32}
	require.EqualValues(t, 7, PrefixSum(counts), "modulo 2^32")
	require.Equal(t, []uint32{0, 3, 3, 8}, counts)
	require.Zero(t, PrefixSum([]int(nil)))
}

func TestSeries(t *testing.T) {
	s, wide := make([]uint32, 4), make([]uint64, 3)
	Series(s, 5)
	require.Equal(t, []uint32{5, 6, 7, 8}, s)
	Widen(wide, s)
	require.Equal(t, []uint64{5, 6, 7}, wide)
}

func TestUnchecked(t *testing.T) {
	words, counters := []uint64{1, 2, 3}, []uint32{0, 0}
	require.EqualValues(t, 3, Load64(unsafe.Pointer(&words[0]), 2))
	Count32(unsafe.Pointer(&counters[0]), 1)
	require.Equal(t, []uint32{0, 1}, counters)
}

// TestFind finds rows in chunks, some of them empty.
func TestFind(t *testing.T) {
	rows := []int{0, 3, 0, 0, 1, 5, 0}
	chunks := NewChunks(len(rows), func(i int) int { return rows[i] })
	require.Equal(t, Chunks{0, 0, 3, 3, 3, 4, 9, 9}, chunks)
	for row, want := range []int{1, 1, 1, 4, 5, 5, 5, 5, 5} {
		require.Equal(t, want, chunks.Find(row), "row %d", row)
	}
}

// TestBytesFrom reads strings of all short lengths, with others after them and without.
func TestBytesFrom(t *testing.T) {
	for n := range 20 {
		alone := bytes.Repeat([]byte{0xab}, n)
		followed := append(bytes.Clone(alone), "others"...)[:n]
		for from := range 25 {
			want := make([]byte, 8)
			copy(want, alone[min(from, n):])
			require.Equal(t, binary.BigEndian.Uint64(want), BytesFrom(alone[:n:n], from), "%d bytes from %d", n, from)
			require.Equal(t, binary.BigEndian.Uint64(want), BytesFrom(followed, from), "%d bytes from %d", n, from)
		}
	}
}

func TestBigEndian(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	want := uint64(0)
	for n := range b {
		require.Equal(t, want, BigEndian(b[:n]), "%d bytes", n)
		want = want<<8 | uint64(b[n])
	}
	require.Equal(t, BigEndian(b[:8]), BigEndian(b))
}

func TestStringOfView(t *testing.T) {
	view := make([]byte, 16)
	binary.LittleEndian.PutUint32(view, 12)
	copy(view[4:], "twelve bytes")
	require.Equal(t, "twelve bytes", string(StringOfView(view, nil)))
	binary.LittleEndian.PutUint32(view, 13)
	binary.LittleEndian.PutUint32(view[8:], 1)
	binary.LittleEndian.PutUint32(view[12:], 2)
	require.Equal(t, "thirteen byte", string(StringOfView(view, [][]byte{nil, []byte("..thirteen bytes")})))
}

// TestHalf: the value of each half is what the format says, and NaN keeps its bits.
func TestHalf(t *testing.T) {
	for word := range 1 << 16 {
		bits := uint16(word)
		fraction, exponent := float64(bits&0x3FF), int(bits>>10&0x1F)
		want := math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			single := 0x7F800000 | uint32(bits&0x3FF)<<13 | uint32(bits>>15)<<31
			require.Equal(t, single, math.Float32bits(Half(bits)))
			continue
		}
		if bits>>15 != 0 {
			want = -want
		}
		require.Equal(t, math.Float64bits(want), math.Float64bits(float64(Half(bits))), "%#x", bits)
	}
}
