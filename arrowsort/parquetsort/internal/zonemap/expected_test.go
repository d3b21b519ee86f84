package zonemap

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// ranksOf returns the ranks of values, of which negative ones are null.
func ranksOf(values []int) *Ranks {
	r := &Ranks{}
	for _, v := range values {
		less, upTo := 0, 0
		for _, other := range values {
			if other >= 0 && other < v {
				less++
			}
			if other >= 0 && other <= v {
				upTo++
			}
		}
		if v >= 0 {
			r.Values++
		}
		r.Less, r.UpTo = append(r.Less, less), append(r.UpTo, upTo)
	}
	return r
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		values        []int
		zones         int
		equal, within float64
	}{
		{[]int{1, 2, 3, 4}, 4, 0.25, 0.4375},      // each value is in one of four zones
		{[]int{1, 2, 3, 4}, 1, 1, 1},              // one zone has all
		{[]int{1, 4, 1, 4}, 2, 1, 1},              // both zones have all values
		{[]int{7, 7, 7, 7}, 2, 1, 1},              // there is one value
		{[]int{1, 2, -1, -1}, 2, 0.5, 0.5},        // a zone of nulls is not read
		{[]int{-1, -1, -1, -1}, 2, 0, 0},          // nothing is
		{[]int{1, 1, 2, 2}, 2, 0.5, 0.5 + 0.25/2}, // an interval of a fifth of the values passes the border
	} {
		order := make([]uint64, len(c.values))
		for i := range order {
			order[i] = uint64(i)
		}
		z := NewZoning(len(order), 400, int64(400/c.zones))
		require.Len(t, z.Edges, c.zones+1)
		equal, within := z.Shares(order, ranksOf(c.values), 0.2)
		require.InDelta(t, c.equal, equal, 1e-9, "%v", c)
		require.InDelta(t, c.within, within, 1e-9, "%v", c)
	}
	require.Equal(t, []int{0, 2, 4, 5}, NewZoning(5, 11, 5).Edges[:4])
	require.Equal(t, []int{0, 0}, NewZoning(0, 0, 5).Edges)
}

// TestSharesOfRandomOrders compares with a count of the zones that hold each value.
func TestSharesOfRandomOrders(t *testing.T) {
	for seed := range uint64(testrun.Count(100, 20)) {
		rng := rand.New(rand.NewPCG(testrun.Seed(), seed))
		values, order := make([]int, 60), make([]uint64, 60)
		for i := range values {
			values[i], order[i] = rng.IntN(40)-5, uint64(i)
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		ranks, z := ranksOf(values), NewZoning(60, 60, 7)
		sum := 0.0
		for _, v := range values {
			for i := 1; i < len(z.Edges) && v >= 0; i++ {
				var zone []int
				for _, row := range order[z.Edges[i-1]:z.Edges[i]] {
					if values[row] >= 0 {
						zone = append(zone, values[row])
					}
				}
				if len(zone) > 0 && slices.Min(zone) <= v && v <= slices.Max(zone) {
					sum += float64(z.Edges[i] - z.Edges[i-1])
				}
			}
		}
		equal, within := z.Shares(order, ranks, 0.05)
		require.InDelta(t, sum/60/float64(ranks.Values), equal, 1e-9, "seed %d %d", testrun.Seed(), seed)
		require.GreaterOrEqual(t, within+1e-9, equal*0.9, "seed %d %d", testrun.Seed(), seed)
	}
}
