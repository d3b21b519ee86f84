package binsort

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestPackingKeepsTheOrder packs random codes that vary in random bits: what is packed is their leading bits that vary,
// compares as they do, and ties where these bits do.
func TestPackingKeepsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 12))
	for range testrun.Count(2000, 200) {
		varying, same := r.Uint64(), r.Uint64()
		for range r.IntN(4) { // few bits vary
			varying &= r.Uint64()
		}
		if varying == 0 {
			continue
		}
		codes := []uint64{same &^ varying, same | varying}
		for range 50 {
			codes = append(codes, same&^varying|r.Uint64()&varying)
		}
		require.Equal(t, varying, varyingBits(codes))

		most := uint(1 + r.IntN(31))
		p, _ := packingOf(varying, most, 0)
		require.LessOrEqual(t, p.bits, most)
		require.Equal(t, uint(bits.OnesCount64(varying)), p.bits+p.rest)
		packed := make([]uint32, len(codes))
		p.pack(codes, packed)
		require.Zero(t, packed[0])
		require.Equal(t, uint32(1)<<p.bits-1, packed[1])
		taken := uint64(0)
		for _, f := range p.fields {
			taken |= f.mask
		}
		for i, a := range codes {
			for j, b := range codes {
				require.Equal(t, a&taken < b&taken, packed[i] < packed[j], "bits %x of %x and %x", taken, a, b)
			}
		}
		require.Zero(t, taken&^varying)
		require.Greater(t, taken&-taken, varying&^taken, "the leading bits that vary are taken")
	}
}

// TestPackingPays: of digits, 4 of 8 bits vary; bits that all vary are not packed.
func TestPackingPays(t *testing.T) {
	const digits = 0x0f0f0f0f0f0f0f0f
	p, pays := packingOf(digits, 20, 60-20)
	require.True(t, pays)
	require.Equal(t, [2]uint{20, 12}, [2]uint{p.bits, p.rest})
	_, pays = packingOf(math.MaxUint64, 20, 64-20)
	require.False(t, pays)
	_, pays = packingOf(1<<63|1<<62|math.MaxUint32, 20, 12)
	require.False(t, pays, "the last 12 bits are not among the leading 20 that vary")
	p, pays = packingOf(0x5555555555555555, 20, 63-20)
	require.False(t, pays, "more fields than there are")
	require.Equal(t, [2]uint{maxFields, 32 - maxFields}, [2]uint{p.bits, p.rest})
}
