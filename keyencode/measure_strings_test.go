package keyencode

import (
	"math/rand/v2"
	"testing"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/stretchr/testify/require"
)

// TestSameBytes compares what is known of shared bytes with all strings: it is exact in the words that all of them
// have.
func TestSameBytes(t *testing.T) {
	shared := 0
	for _, kind := range []Kind{Binary, LargeBinary, BinaryView, FixedSizeBinary} {
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			cells := randomCells(rng, kind, 40, 1+rng.IntN(300))
			c := build(rng, kind, 40, 3, []int{rng.IntN(len(cells))}, cells)
			var first []byte
			shortest, differ := 1<<20, uint64(0)
			for _, x := range cells {
				if x.null {
					continue
				}
				if first == nil {
					first = append([]byte{}, x.raw...)
				}
				shortest = min(shortest, len(x.raw))
				differ |= differingBytes(string(first), string(x.raw))
			}
			want := uint64(0)
			if first != nil && shortest >= 8 {
				want = ^differ & (^uint64(0) >> (64 - min(shortest/8*8, 64)))
			}
			s := Measure(&c, Key{}, 0, len(cells))
			require.Equal(t, want, s.CommonBytes, "kind %d, seed %d", kind, seed)
			if want&^buffers.LowBits(commonPrefix(s.MinBytes, s.MaxBytes)) != 0 {
				shared++
			}
		}
	}
	require.Greater(t, shared, 50, "columns that share bytes after others")
}
