package computefn_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// modes are the four ways to sort, in the order of the expected row numbers below.
var modes = []computefn.ArraySortOptions{
	{Order: asc, NullPlacement: end}, {Order: asc, NullPlacement: start},
	{Order: desc, NullPlacement: end}, {Order: desc, NullPlacement: start},
}

type arrayCase struct {
	types []arrow.DataType
	json  string
	want  [4][]uint64
}

var (
	reals = []arrow.DataType{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32,
		arrow.PrimitiveTypes.Float64}
	integers = []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
		arrow.PrimitiveTypes.Uint64,
	}
	temporals = []arrow.DataType{
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
		arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_us,
		&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "America/New_York"},
		arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns,
	}
	texts = []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String},
	}
	decimals = []arrow.DataType{
		&arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal256Type{Precision: 5, Scale: 2},
	}
)

var arrayCases = map[string]arrayCase{
	"real with NaN and null": {reals, `[2, "NaN", null, 4, "NaN", -1, null, 2]`, [4][]uint64{
		{5, 0, 7, 3, 1, 4, 2, 6}, {2, 6, 1, 4, 5, 0, 7, 3}, {3, 0, 7, 5, 1, 4, 2, 6}, {2, 6, 1, 4, 3, 0, 7, 5}}},
	"real zeros tie, infinities are values": {reals, `[0.5, "-0", "+Inf", 0, "-Inf", "NaN", "-0"]`, [4][]uint64{
		{4, 1, 3, 6, 0, 2, 5}, {5, 4, 1, 3, 6, 0, 2}, {2, 0, 1, 3, 6, 4, 5}, {5, 2, 0, 1, 3, 6, 4}}},
	"real without values": {reals, `["NaN", null, "NaN", null]`, [4][]uint64{
		{0, 2, 1, 3}, {1, 3, 0, 2}, {0, 2, 1, 3}, {1, 3, 0, 2}}},
	"integers": {integers, `[9, null, 3, 9, 0, null, 127, 3]`, [4][]uint64{
		{4, 2, 7, 0, 3, 6, 1, 5}, {1, 5, 4, 2, 7, 0, 3, 6}, {6, 0, 3, 2, 7, 4, 1, 5}, {1, 5, 6, 0, 3, 2, 7, 4}}},
	"full range of int8": {integers[:4], `[127, -128, null, 0, -128, 127]`, [4][]uint64{
		{1, 4, 3, 0, 5, 2}, {2, 1, 4, 3, 0, 5}, {0, 5, 3, 1, 4, 2}, {2, 0, 5, 3, 1, 4}}},
	"full range of uint8": {integers[4:], `[255, 0, null, 128, 0, 255]`, [4][]uint64{
		{1, 4, 3, 0, 5, 2}, {2, 1, 4, 3, 0, 5}, {0, 5, 3, 1, 4, 2}, {2, 0, 5, 3, 1, 4}}},
	"full range of int64": {
		integers[3:4],
		`[9223372036854775807, null, -9223372036854775808, -1, 9223372036854775807]`,
		[4][]uint64{
			{2, 3, 0, 4, 1}, {1, 2, 3, 0, 4}, {0, 4, 3, 2, 1}, {1, 0, 4, 3, 2}},
	},
	"full range of uint64": {
		integers[7:],
		`[18446744073709551615, null, 0, 9223372036854775808, 18446744073709551615]`,
		[4][]uint64{
			{2, 3, 0, 4, 1}, {1, 2, 3, 0, 4}, {0, 4, 3, 2, 1}, {1, 0, 4, 3, 2}},
	},
	"temporal": {temporals, `[40000, null, 0, 80000, 0]`, [4][]uint64{
		{2, 4, 0, 3, 1}, {1, 2, 4, 0, 3}, {3, 0, 2, 4, 1}, {1, 3, 0, 2, 4}}},
	"boolean": {[]arrow.DataType{arrow.FixedWidthTypes.Boolean}, `[true, null, false, true, false, null]`, [4][]uint64{
		{2, 4, 0, 3, 1, 5}, {1, 5, 2, 4, 0, 3}, {0, 3, 2, 4, 1, 5}, {1, 5, 0, 3, 2, 4}}},
	"strings": {texts, `["pear", null, "", "fig", "pear tree with a long name", "fig", "é"]`, [4][]uint64{
		{2, 3, 5, 0, 4, 6, 1}, {1, 2, 3, 5, 0, 4, 6}, {6, 4, 0, 3, 5, 2, 1}, {1, 6, 4, 0, 3, 5, 2}}},
	"decimals": {decimals, `["-1.50", "999.99", null, "0.01", "-999.99", "0.01"]`, [4][]uint64{
		{4, 0, 3, 5, 1, 2}, {2, 4, 0, 3, 5, 1}, {1, 3, 5, 0, 4, 2}, {2, 1, 3, 5, 0, 4}}},
	"fixed size binary": {
		[]arrow.DataType{&arrow.FixedSizeBinaryType{ByteWidth: 3}},
		`["////", null, "AAAA", "AAAB", "////"]`,
		[4][]uint64{
			{2, 3, 0, 4, 1}, {1, 2, 3, 0, 4}, {0, 4, 3, 2, 1}, {1, 0, 4, 3, 2}},
	},
	"null": {
		[]arrow.DataType{arrow.Null}, `[null, null, null]`, [4][]uint64{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
	},
	"all null": {
		[]arrow.DataType{reals[2], integers[0], texts[0], decimals[1], arrow.FixedWidthTypes.Boolean}, `[null, null]`,
		[4][]uint64{{0, 1}, {0, 1}, {0, 1}, {0, 1}},
	},
	"empty": {
		[]arrow.DataType{reals[2], integers[3], texts[0], decimals[0], arrow.Null, arrow.FixedWidthTypes.Boolean}, `[]`,
		[4][]uint64{{}, {}, {}, {}},
	},
}

func TestArraySortIndices(t *testing.T) {
	for name, test := range arrayCases {
		for _, typ := range test.types {
			t.Run(fmt.Sprintf("%s/%s", name, typ), func(t *testing.T) {
				c := newCaller(t)
				arr := c.array(typ, test.json)
				for i, mode := range modes {
					sort := computefn.SortOptions{
						SortKeys: []computefn.SortKey{{Order: mode.Order, NullPlacement: mode.NullPlacement}},
					}
					require.Equal(t, test.want[i], c.rows("array_sort_indices", mode, arr), "%+v", mode)
					require.Equal(t, test.want[i], c.rows("sort_indices", sort, arr), "%+v", mode)
					requireSorts(c, sort, arr)
				}
			})
		}
	}
}

// TestChunkBordersAreInvisible sorts the same rows at once and cut in two at every place.
func TestChunkBordersAreInvisible(t *testing.T) {
	for name, test := range arrayCases {
		for _, typ := range test.types {
			t.Run(fmt.Sprintf("%s/%s", name, typ), func(t *testing.T) {
				c := newCaller(t)
				whole := c.array(typ, test.json)
				for cut := range whole.Len() + 1 {
					chunked := c.cut(whole, cut)
					for i, mode := range modes {
						require.Equal(
							t, test.want[i], c.rows("array_sort_indices", mode, chunked), "cut at %d, %+v", cut, mode,
						)
					}
				}
			})
		}
	}
}

func TestChunkedWithoutChunks(t *testing.T) {
	c := newCaller(t)
	empty := c.chunked(arrow.PrimitiveTypes.Float64)
	require.Empty(t, c.rows("array_sort_indices", nil, empty))
	require.Empty(t, c.rows("sort_indices", nil, empty))
	require.Empty(
		t, c.rows("select_k_unstable", computefn.SelectKOptions{K: 3, SortKeys: []computefn.SortKey{{}}}, empty),
	)
	require.True(t, c.sorted(nil, empty))
	require.Zero(t, c.call("sort", nil, empty).Len())
}

// TestChunkedNaN are rows that arrow-go v18.8 sorts wrongly: it takes each chunk's NaNs for that chunk's last values.
func TestChunkedNaN(t *testing.T) {
	c := newCaller(t)
	data := c.chunked(arrow.PrimitiveTypes.Float64, `[1, "NaN", 5]`, `[3, "NaN", 7]`)
	for i, want := range [][]uint64{{0, 3, 2, 5, 1, 4}, {1, 4, 0, 3, 2, 5}, {5, 2, 3, 0, 1, 4}, {1, 4, 5, 2, 3, 0}} {
		require.Equal(t, want, c.rows("array_sort_indices", modes[i], data), "%+v", modes[i])
	}
}

// requireSorts checks that sort agrees with sort_indices and is_sorted.
func requireSorts(c *caller, opts computefn.SortOptions, data arrowsort.Data) {
	c.Helper()
	out := c.dataOf(c.call("sort", opts, data))
	require.True(c, c.sorted(opts, out))
	for row, from := range c.rows("sort_indices", opts, out) {
		require.EqualValues(c, row, from, "what is sorted stays as it is")
	}
}
