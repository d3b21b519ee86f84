package keyencode

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigitsAreBalanced(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(50)
		columns, keys, _ := randomTable(rng, n)
		p := planOf(t, columns, keys)
		radixBits := 1 + rng.IntN(16)
		digits := p.Digits(radixBits)
		word, shift := p.Words()-1, 0
		least, most := 99, 0
		for _, d := range digits {
			require.Equal(t, Digit{word, shift, d.Bits}, d, "seed %d, plan %v", seed, p)
			require.LessOrEqual(t, d.Bits, radixBits)
			least, most = min(least, d.Bits), max(most, d.Bits)
			if shift += d.Bits; shift == p.WordBits(word) {
				require.LessOrEqual(t, most-least, 1, "seed %d, plan %v", seed, p)
				word, shift, least, most = word-1, 0, 99, 0
			}
		}
		require.Equal(t, -1, word, "seed %d, plan %v: bits without digit", seed, p)
	}
}
