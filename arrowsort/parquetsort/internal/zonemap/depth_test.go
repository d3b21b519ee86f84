package zonemap

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// zonesFrom returns zones of ten rows with bounds that are pairs of JSON values, null for none.
func zonesFrom(t *testing.T, typ arrow.DataType, bounds string) []Zone {
	t.Helper()
	values := arrowtest.FromJSON(t, typ, bounds)
	defer values.Release()
	b := tablefile.ColumnBounds{Limits: values}
	for range values.Len() / 2 {
		b.Groups = append(b.Groups, tablefile.GroupCounts{Rows: 10})
	}
	zones, err := zonesOf(t.Context(), &b, typ, true, memory.DefaultAllocator)
	require.NoError(t, err)
	for i := range zones {
		zones[i].Rows = 10
	}
	return zones
}

func TestDepth(t *testing.T) {
	whole, float, bytes := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.Binary
	for _, c := range []struct {
		typ    arrow.DataType
		bounds string
		want   Depth
	}{
		{whole, `[]`, Depth{}},
		{whole, `[1, 9]`, Depth{Mean: 1, Worst: 1, Of: 1}},
		{whole, `[1, 9, 10, 19, 20, 29]`, Depth{Mean: 1, Worst: 1, Of: 3}},
		{whole, `[1, 9, 1, 9, 1, 9]`, Depth{Mean: 3, Worst: 3, Of: 3}},
		{whole, `[1, 1, 1, 2, 2, 2]`, Depth{Mean: 2, Worst: 2, Of: 3}},
		{whole, `[0, 9, 5, 14]`, Depth{Mean: 1.5, Worst: 2, Of: 2}},
		{whole, `[-9223372036854775808, -1, 0, 9223372036854775807]`, Depth{Mean: 1, Worst: 1, Of: 2}},
		{whole, `[9007199254740992, 9007199254740992, 9007199254740993, 9007199254740993]`,
			Depth{Mean: 1, Worst: 1, Of: 2}},
		{whole, `[null, null, 1, 4]`, Depth{Mean: 2, Worst: 2, Of: 2, Unbounded: 1}},
		{whole, `[null, null, null, null]`, Depth{Mean: 2, Worst: 2, Of: 2, Unbounded: 2}},
		{float, `[0, 1, 1, 2]`, Depth{Mean: 1, Worst: 2, Of: 2}},
		{float, `[0, 4, 2, 2]`, Depth{Mean: 1.5, Worst: 2, Of: 2}},
		{float, `["-Inf", "+Inf", 3, 3]`, Depth{Mean: 1.5, Worst: 2, Of: 2}},
		{float, `["+Inf", "+Inf", "+Inf", "+Inf"]`, Depth{Mean: 2, Worst: 2, Of: 2}},
		{float, `[-1.7e308, 1.7e308, -1.7e308, 0]`, Depth{Mean: 1.75, Worst: 2, Of: 2}},
		{bytes, `["QUJF", "QVRM", "QVRM", "WVVN"]`, Depth{Mean: 1, Worst: 2, Of: 2}},
		{arrow.FixedWidthTypes.Boolean, `[false, false, false, true]`, Depth{Mean: 1.5, Worst: 2, Of: 2}},
		{arrow.FixedWidthTypes.Date32, `["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-03"]`,
			Depth{Mean: 1.5, Worst: 2, Of: 2}},
	} {
		require.Equal(t, c.want, DepthOf(c.typ, zonesFrom(t, c.typ, c.bounds)), "%s %s", c.typ, c.bounds)
	}
	nulls := zonesFrom(t, whole, `[1, 9, null, null]`)
	nulls[1].Counts.Nulls = 10
	require.Equal(t, Depth{Mean: 1, Worst: 1, Of: 1}, DepthOf(whole, nulls), "a zone of nulls holds no value")
}

// TestDepthOfRandomZones compares with a count, value by value.
func TestDepthOfRandomZones(t *testing.T) {
	for seed := range uint64(testrun.Count(300, 60)) {
		rng := rand.New(rand.NewPCG(testrun.Seed(), seed))
		b := array.NewInt16Builder(memory.DefaultAllocator)
		var low, high []int
		for range 1 + rng.IntN(30) {
			low = append(low, rng.IntN(200)-100)
			high = append(high, low[len(low)-1]+rng.IntN(1+rng.IntN(100)))
			b.AppendValues([]int16{int16(low[len(low)-1]), int16(high[len(high)-1])}, nil)
		}
		values, bounds := b.NewArray(), tablefile.ColumnBounds{}
		bounds.Limits, bounds.Groups = values, make([]tablefile.GroupCounts, len(low))
		zones, err := zonesOf(t.Context(), &bounds, values.DataType(), false, memory.DefaultAllocator)
		require.NoError(t, err)
		depth := func(value int) (n int) {
			for i := range low {
				if low[i] <= value && value <= high[i] {
					n++
				}
			}
			return n
		}
		mean, rows, worst := 0.0, 0.0, 0
		for i := range zones {
			zones[i].Rows = int64(1 + rng.IntN(5))
			zones[i].Counts.Rows = zones[i].Rows
			sum := 0
			for value := low[i]; value <= high[i]; value++ {
				sum, worst = sum+depth(value), max(worst, depth(value))
			}
			rows += float64(zones[i].Rows)
			mean += float64(zones[i].Rows) * float64(sum) / float64(high[i]-low[i]+1)
		}
		got := DepthOf(values.DataType(), zones)
		require.Equal(t, worst, got.Worst, "seed %d %d", testrun.Seed(), seed)
		require.InDelta(t, mean/rows, got.Mean, 1e-9, "seed %d %d", testrun.Seed(), seed)
	}
}

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
