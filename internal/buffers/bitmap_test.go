package buffers

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBits compares words of bits with single ones, at every place of bitmaps and after their ends.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for bytes := range 20 {
		bitmap := make([]byte, bytes)
		for i := range bitmap {
			bitmap[i] = byte(rng.Uint32())
		}
		for i := range 8*bytes + 9 {
			want, ones := uint64(0), 0
			for k := range 64 {
				if i+k < 8*bytes && Bit(bitmap, i+k) {
					want |= 1 << k
				}
			}
			require.Equal(t, want, Bits(bitmap, i), "%d bytes, bit %d", bytes, i)
			n := max(8*bytes-i, 0)
			for k := range n {
				if Bit(bitmap, i+k) {
					ones++
				}
			}
			require.Equal(t, n-ones, CountZeros(bitmap, i, n), "%d bytes, bit %d", bytes, i)
		}
	}
}

func TestLowBits(t *testing.T) {
	for n := range 65 {
		require.Equal(t, n, bits.OnesCount64(LowBits(n)))
		require.Equal(t, n, bits.Len64(LowBits(n)))
	}
}

func TestSetWhereZero(t *testing.T) {
	dst := make([]uint64, 130)
	bitmap := make([]byte, 17)
	for i := range dst {
		dst[i] = uint64(i)
		if i%3 > 0 {
			bitmap[(i+5)/8] |= 1 << ((i + 5) % 8)
		}
	}
	SetWhereZero(dst, bitmap, 5, 999)
	for i, x := range dst {
		want := uint64(i)
		if i%3 == 0 {
			want = 999
		}
		require.Equal(t, want, x)
	}
}
