package buffers

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
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

// TestAnd intersects bits at all places within bytes; those around them stay.
func TestAnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 200} {
		for at := range 9 {
			for first := range 9 {
				dst, src := make([]byte, (at+n+7)/8+1), make([]byte, (first+n+7)/8)
				for i := range dst {
					dst[i] = byte(rng.Uint32())
				}
				for i := range src {
					src[i] = byte(rng.Uint32())
				}
				before := bytes.Clone(dst)
				And(dst, at, src, first, n)
				for i := range 8 * len(dst) {
					want := Bit(before, i)
					if i >= at && i < at+n {
						want = want && Bit(src, first+i-at)
					}
					require.Equal(t, want, Bit(dst, i), "%d bits at %d from %d: bit %d", n, at, first, i)
				}
			}
		}
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

// TestSetRange sets every range of a bitmap.
func TestSetRange(t *testing.T) {
	const n = 40
	for lo := range n + 1 {
		for hi := lo; hi <= n; hi++ {
			bitmap := make([]byte, n/8)
			SetRange(bitmap, lo, hi)
			for i := range n {
				require.Equal(t, i >= lo && i < hi, Bit(bitmap, i), "bit %d of %d..%d", i, lo, hi)
			}
		}
	}
}

// TestPackBits packs each bit of bytes; the padding is zero.
func TestPackBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		for bit := range uint(8) {
			dst := slices.Repeat([]byte{0xff}, (n+7)/8)
			PackBits(dst, src, bit)
			for i := range 8 * len(dst) {
				require.Equal(t, i < n && src[i]>>bit&1 == 1, Bit(dst, i), "place %d of %d, bit %d", i, n, bit)
			}
		}
	}
}
