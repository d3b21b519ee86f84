package computefn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// doubles returns what rank_quantile and rank_normal return.
func (c *caller) doubles(name string, opts compute.FunctionOptions, data arrowsort.Data) []float64 {
	c.Helper()
	out := c.call(name, opts, data)
	require.Equal(c, compute.KindArray, out.Kind())
	arr := out.(*compute.ArrayDatum).MakeArray().(*array.Float64)
	defer arr.Release()
	require.Zero(c, arr.NullN())
	return slices.Clone(arr.Float64Values())
}

// requireNear compares doubles up to the last digits.
func requireNear(c *caller, want, got []float64, args ...any) {
	c.Helper()
	require.Len(c, got, len(want), args...)
	for i := range want {
		require.InDelta(c, want[i], got[i], 1e-15*max(1, math.Abs(want[i])), args...)
	}
}

// rankCases are what pyarrow 26.0.1 returns, in the order of modes.
var rankCases = []struct {
	typ               arrow.DataType
	json              string
	min               [4][]uint64
	quantiles, normal [4][]float64
}{
	{
		arrow.PrimitiveTypes.Float64, `[2, "NaN", null, 4, "NaN", -1, null, 2]`,
		[4][]uint64{
			{2, 5, 7, 4, 5, 1, 7, 2}, {6, 3, 1, 8, 3, 5, 1, 6}, {2, 5, 7, 1, 5, 4, 7, 2}, {6, 3, 1, 5, 3, 8, 1, 6},
		},
		[4][]float64{
			{0.25, 0.625, 0.875, 0.4375, 0.625, 0.0625, 0.875, 0.25},
			{0.75, 0.375, 0.125, 0.9375, 0.375, 0.5625, 0.125, 0.75},
			{0.25, 0.625, 0.875, 0.0625, 0.625, 0.4375, 0.875, 0.25},
			{0.75, 0.375, 0.125, 0.5625, 0.375, 0.9375, 0.125, 0.75},
		},
		[4][]float64{
			{-0.6744897501960817, 0.31863936396437514, 1.1503493803760079, -0.15731068461017067, 0.31863936396437514,
				-1.5341205443525459, 1.1503493803760079, -0.6744897501960817},
			{0.6744897501960817, -0.31863936396437514, -1.1503493803760079, 1.5341205443525459, -0.31863936396437514,
				0.15731068461017067, -1.1503493803760079, 0.6744897501960817},
			{-0.6744897501960817, 0.31863936396437514, 1.1503493803760079, -1.5341205443525459, 0.31863936396437514,
				-0.15731068461017067, 1.1503493803760079, -0.6744897501960817},
			{0.6744897501960817, -0.31863936396437514, -1.1503493803760079, 0.15731068461017067, -0.31863936396437514,
				1.5341205443525459, -1.1503493803760079, 0.6744897501960817},
		},
	},
	{
		arrow.BinaryTypes.String, `["b", null, "a", "b", "", null, "ab"]`,
		[4][]uint64{
			{4, 6, 2, 4, 1, 6, 3}, {6, 1, 4, 6, 3, 1, 5}, {1, 6, 4, 1, 5, 6, 3}, {3, 1, 6, 3, 7, 1, 5},
		},
		[4][]float64{
			{0.5714285714285714, 0.8571428571428571, 0.21428571428571427, 0.5714285714285714, 0.07142857142857142,
				0.8571428571428571, 0.35714285714285715},
			{0.8571428571428571, 0.14285714285714285, 0.5, 0.8571428571428571, 0.35714285714285715,
				0.14285714285714285, 0.6428571428571429},
			{0.14285714285714285, 0.8571428571428571, 0.5, 0.14285714285714285, 0.6428571428571429,
				0.8571428571428571, 0.35714285714285715},
			{0.42857142857142855, 0.14285714285714285, 0.7857142857142857, 0.42857142857142855, 0.9285714285714286,
				0.14285714285714285, 0.6428571428571429},
		},
		[4][]float64{
			{0.18001236979270493, 1.0675705238781414, -0.7916386077433746, 0.18001236979270493, -1.4652337926855223,
				1.0675705238781414, -0.3661063568005697},
			{1.0675705238781414, -1.0675705238781417, 0.0, 1.0675705238781414, -0.3661063568005697,
				-1.0675705238781417, 0.3661063568005697},
			{-1.0675705238781417, 1.0675705238781414, 0.0, -1.0675705238781417, 0.3661063568005697, 1.0675705238781414,
				-0.3661063568005697},
			{-0.1800123697927051, -1.0675705238781417, 0.7916386077433746, -0.1800123697927051, 1.4652337926855223,
				-1.0675705238781417, 0.3661063568005697},
		},
	},
}

// TestRankIsThatOfArrow ranks arrays, and chunked arrays cut at every place.
func TestRankIsThatOfArrow(t *testing.T) {
	c := newCaller(t)
	for _, test := range rankCases {
		whole := c.array(test.typ, test.json)
		for i, mode := range modes {
			keys := []computefn.SortKey{{Order: mode.Order, NullPlacement: mode.NullPlacement}}
			min := computefn.RankOptions{SortKeys: keys, TieBreaker: arrowsort.TiesMin}
			quantile := computefn.RankQuantileOptions{SortKeys: keys}
			data := []arrowsort.Data{whole}
			for cut := range whole.Len() + 1 {
				data = append(data, c.cut(whole, cut))
			}
			for _, d := range data {
				require.Equal(t, test.min[i], c.rows("rank", min, d), "%+v", mode)
				require.Equal(t, test.quantiles[i], c.doubles("rank_quantile", quantile, d), "%+v", mode)
				requireNear(c, test.normal[i], c.doubles("rank_normal", quantile, d), "%+v", mode)
			}
		}
	}
}

// TestRankTieBreakers of a small array, by pyarrow 26.0.1. The default is the first.
func TestRankTieBreakers(t *testing.T) {
	c := newCaller(t)
	arr := c.array(arrow.PrimitiveTypes.Float32, `[2, "NaN", null, 4, "NaN", -1, null, 2]`)
	first := []uint64{2, 5, 7, 4, 6, 1, 8, 3}
	for ties, want := range map[arrowsort.TieBreaker][]uint64{
		arrowsort.TiesFirst: first,
		arrowsort.TiesMin:   {2, 5, 7, 4, 5, 1, 7, 2},
		arrowsort.TiesMax:   {3, 6, 8, 4, 6, 1, 8, 3},
		arrowsort.TiesDense: {2, 4, 5, 3, 4, 1, 5, 2},
	} {
		require.Equal(t, want, c.rows("rank", computefn.RankOptions{TieBreaker: ties}, arr))
	}
	require.Equal(t, first, c.rows("rank", nil, arr))
	require.Equal(t, first, c.rows("rank", (*computefn.RankOptions)(nil), arr))
	require.Equal(t, []uint64{7, 3, 1, 8, 4, 6, 2, 5},
		c.rows("rank", &computefn.RankOptions{NullPlacement: new(start)},
			c.array(arrow.PrimitiveTypes.Float32, `[3, "NaN", null, 4, "NaN", 2, null, 1]`)))
}

// TestRankNormalInTheTails compares ranks of 1,000 rows with pyarrow 26.0.1.
func TestRankNormalInTheTails(t *testing.T) {
	c := newCaller(t)
	b := array.NewInt32Builder(c.mem)
	defer b.Release()
	for i := range int32(1000) {
		b.Append(i)
	}
	arr := b.NewArray()
	defer arr.Release()
	got := c.doubles("rank_normal", nil, arr)
	requireNear(c, []float64{
		-3.2905267314918945, -2.967737925341783, -2.307984474945957, -0.001253314465432556, 0.0012533144654324167,
		3.2905267314919255,
	}, []float64{got[0], got[1], got[10], got[499], got[500], got[999]})
	require.Equal(t, []float64{0}, c.doubles("rank_normal", nil, c.array(arrow.PrimitiveTypes.Int8, `[5]`)))
	require.Equal(t, []float64{0.5}, c.doubles("rank_quantile", nil, c.array(arrow.PrimitiveTypes.Int8, `[5]`)))
	require.Empty(t, c.doubles("rank_normal", nil, c.array(arrow.PrimitiveTypes.Int8, `[]`)))
}

// TestRankOfRecordsAndTables ranks by several keys, of which Arrow C++ has no ranks.
func TestRankOfRecordsAndTables(t *testing.T) {
	c := newCaller(t)
	for name, test := range tableCases {
		half := len(test.rows) / 2
		for _, d := range []arrowsort.Data{
			c.record(test.schema, list(test.rows)),
			c.table(test.schema, list(test.rows[:half]), list(test.rows[half:])),
		} {
			for placement, order := range map[arrowsort.NullPlacement][]uint64{end: test.end, start: test.start} {
				want := make([]uint64, len(order))
				for place, row := range order {
					want[row] = uint64(place + 1)
				}
				got := c.rows("rank", computefn.RankOptions{SortKeys: test.keys, NullPlacement: new(placement)}, d)
				require.Equal(t, want, got, name)
			}
		}
	}
}

func TestRankErrors(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	defer datum.Release()
	for _, name := range []string{"rank", "rank_quantile", "rank_normal"} {
		err := c.fail(name, nil, datum)
		require.ErrorIs(t, err, arrowsort.ErrNoKeys, name)
		require.ErrorContains(t, err, name+": ")
		err = c.fail(name, computefn.SortOptions{}, datum)
		require.ErrorContains(t, err, "Options, not")
	}
	err := c.fail("rank", computefn.RankOptions{SortKeys: []computefn.SortKey{by("a", asc)}, TieBreaker: 9}, datum)
	require.ErrorIs(t, err, arrowsort.ErrOption)
}
