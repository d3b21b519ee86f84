package buffers

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

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
