package cpu

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMergeIndices merges parts of all lengths, with and without ties.
func TestMergeIndices(t *testing.T) {
	f := newTestBinSorter(t, 64, false)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 64 {
		for first := range n + 1 {
			codes := drawn(uint64(first), n, func(r *rand.Rand, n, _ int) uint64 { return r.Uint64N(uint64(n)) })
			if r.IntN(2) == 0 {
				codes = drawn(uint64(first), n, uniform)
			}
			slices.Sort(codes[:first])
			slices.Sort(codes[first:])
			want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			order := f.mergeIndices(codes, first)
			if order == nil {
				order = allRows(n)
			}
			require.Equal(t, want, order, "%d of %d", first, n)
		}
	}
}
