package zonemap

import (
	"math/rand/v2"
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
		{whole, `[1, 9]`, Depth{Zones: 1, Mean: 1, Worst: 1}},
		{whole, `[1, 9, 10, 19, 20, 29]`, Depth{Zones: 3, Mean: 1, Worst: 1}},
		{whole, `[1, 9, 1, 9, 1, 9]`, Depth{Zones: 3, Mean: 3, Worst: 3}},
		{whole, `[1, 1, 1, 2, 2, 2]`, Depth{Zones: 3, Mean: 2, Worst: 2}},
		{whole, `[0, 9, 5, 14]`, Depth{Zones: 2, Mean: 1.5, Worst: 2}},
		{whole, `[-9223372036854775808, -1, 0, 9223372036854775807]`, Depth{Zones: 2, Mean: 1, Worst: 1}},
		{whole, `[9007199254740992, 9007199254740992, 9007199254740993, 9007199254740993]`,
			Depth{Zones: 2, Mean: 1, Worst: 1}},
		{whole, `[null, null, 1, 4]`, Depth{Zones: 2, Unbounded: 1, Mean: 2, Worst: 2}},
		{whole, `[null, null, null, null]`, Depth{Zones: 2, Unbounded: 2, Mean: 2, Worst: 2}},
		{float, `[0, 1, 1, 2]`, Depth{Zones: 2, Mean: 1, Worst: 2}},
		{float, `[0, 4, 2, 2]`, Depth{Zones: 2, Mean: 1.5, Worst: 2}},
		{float, `["-Inf", "+Inf", 3, 3]`, Depth{Zones: 2, Mean: 1.5, Worst: 2}},
		{float, `["+Inf", "+Inf", "+Inf", "+Inf"]`, Depth{Zones: 2, Mean: 2, Worst: 2}},
		{float, `[-1.7e308, 1.7e308, -1.7e308, 0]`, Depth{Zones: 2, Mean: 1.75, Worst: 2}},
		{bytes, `["QUJF", "QVRM", "QVRM", "WVVN"]`, Depth{Zones: 2, Mean: 1, Worst: 2}},
		{arrow.FixedWidthTypes.Boolean, `[false, false, false, true]`, Depth{Zones: 2, Mean: 1.5, Worst: 2}},
		{arrow.FixedWidthTypes.Date32, `["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-03"]`,
			Depth{Zones: 2, Mean: 1.5, Worst: 2}},
	} {
		require.Equal(t, c.want, DepthOf(c.typ, zonesFrom(t, c.typ, c.bounds)), "%s %s", c.typ, c.bounds)
	}
	nulls := zonesFrom(t, whole, `[1, 9, null, null]`)
	nulls[1].Counts.Nulls = 10
	require.Equal(t, Depth{Zones: 1, Mean: 1, Worst: 1}, DepthOf(whole, nulls), "a zone of nulls holds no value")
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
