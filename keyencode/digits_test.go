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
		checkHistograms(t, p, digits, n, seed)
	}
}

func checkHistograms(t *testing.T, p *Plan, digits []Digit, n int, seed uint64) {
	counts, want := make([][]uint64, len(digits)), make([][]uint64, len(digits))
	codes := codesOf(p, n)
	for i, d := range digits {
		counts[i], want[i] = make([]uint64, 1<<d.Bits), make([]uint64, 1<<d.Bits)
		for _, c := range codes[d.Word] {
			want[i][c>>d.Shift%(1<<d.Bits)]++
		}
	}
	p.Histograms(digits, 0, n/3, counts)
	p.Histograms(digits, n/3, n, counts)
	require.Equal(t, want, counts, "seed %d, plan %v", seed, p)
}
