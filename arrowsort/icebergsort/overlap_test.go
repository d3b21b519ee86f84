package icebergsort

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The counts are those of a comparison of all spans with all others, and of all values.
func TestDepthIsThatOfAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for range testrun.Count(2000, 200) {
		spans := make([]span, rng.IntN(12))
		for i := range spans {
			low := rng.IntN(20)
			spans[i] = span{low: []byte{byte(low)}, high: []byte{byte(low + rng.IntN(8))}}
		}
		depth := [256]int{}
		for _, s := range spans {
			for v := s.low[0]; v <= s.high[0]; v++ {
				depth[v]++
			}
		}
		most, at := worst(spans)
		counts := overlaps(spans)
		wantMost := 0
		for i, s := range spans {
			pairs, deepest := 0, 0
			for _, o := range spans {
				if s.low[0] <= o.high[0] && o.low[0] <= s.high[0] {
					pairs++
				}
			}
			for v := s.low[0]; v <= s.high[0]; v++ {
				deepest = max(deepest, depth[v])
			}
			require.Equal(t, pairs, counts[i], "%v", spans)
			require.Equal(t, deepest, at[i], "%v", spans)
			wantMost = max(wantMost, deepest)
		}
		require.Equal(t, wantMost, most, "%v", spans)
	}
}
