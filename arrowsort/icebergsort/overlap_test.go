package icebergsort

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The depths are those of a comparison of all spans at all bounds and in all gaps between them.
func TestDepthIsThatOfAllPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for range testrun.Count(2000, 200) {
		spans := make([]span, rng.IntN(12))
		var bounds []byte
		for i := range spans {
			low := byte(rng.IntN(20))
			spans[i] = span{low: []byte{low}, high: []byte{low + byte(rng.IntN(8))}}
			bounds = append(bounds, spans[i].low[0], spans[i].high[0])
		}
		slices.Sort(bounds)
		bounds = slices.Compact(bounds)
		got := depths(spans)
		for i, s := range spans {
			sum, places, most := 0, 0, 0
			add := func(from, to byte) {
				if from < s.low[0] || to > s.high[0] {
					return
				}
				n := 0
				for _, o := range spans {
					if o.low[0] <= from && o.high[0] >= to {
						n++
					}
				}
				sum, places, most = sum+n, places+1, max(most, n)
			}
			for b, v := range bounds {
				add(v, v)
				if b+1 < len(bounds) {
					add(v, bounds[b+1])
				}
			}
			require.Equal(t, most, got[i].most, "%v", spans)
			require.InDelta(t, float64(sum)/float64(places), got[i].mean, 1e-9, "%v", spans)
		}
	}
}
