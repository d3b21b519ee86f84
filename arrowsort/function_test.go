package arrowsort_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// functionCases are values of a type with those that a function makes of them, as columns that are compared by hand.
var functionCases = []struct {
	function arrowsort.Function
	typ      arrow.DataType
	values   string
	made     arrow.DataType
	results  string
}{
	{arrowsort.Lower, arrow.BinaryTypes.String, `["b", "A", null, "a", "É", "é", "İ", "ß", "Σς"]`,
		arrow.BinaryTypes.String, `["b", "a", null, "a", "é", "é", "i", "ß", "σς"]`},
	{arrowsort.Length, arrow.BinaryTypes.LargeString, `["ab", "é", null, "", "日本語"]`,
		arrow.PrimitiveTypes.Int8, `[2, 1, null, 0, 3]`},
	{arrowsort.Length, arrow.ListOf(arrow.PrimitiveTypes.Int8), `[[1, 2], null, [], [null], [1, 2, 3]]`,
		arrow.PrimitiveTypes.Int8, `[2, null, 0, 1, 3]`},
	{arrowsort.Length, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8), `[[1, 2], null, [3, 4]]`,
		arrow.PrimitiveTypes.Int8, `[2, null, 2]`},
	{arrowsort.Length, arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8),
		`[[{"key": "a", "value": 1}], [], null]`, arrow.PrimitiveTypes.Int8, `[1, 0, null]`},
	{arrowsort.Abs, arrow.PrimitiveTypes.Int8, `[-128, 127, null, 0, -1, 1]`,
		arrow.PrimitiveTypes.Uint8, `[128, 127, null, 0, 1, 1]`},
	{arrowsort.Abs, arrow.PrimitiveTypes.Int64, `[-9223372036854775808, 9223372036854775807, 5, -5]`,
		arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 9223372036854775807, 5, 5]`},
	{arrowsort.Abs, arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 0, 9]`,
		arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 0, 9]`},
	{arrowsort.Abs, arrow.PrimitiveTypes.Float64, `[-1.5, 1.5, -0.0, 0, null, -3]`,
		arrow.PrimitiveTypes.Float64, `[1.5, 1.5, 0, 0, null, 3]`},
	{arrowsort.Abs, arrow.FixedWidthTypes.Duration_s, `[-3, 2, null]`, arrow.PrimitiveTypes.Int8, `[3, 2, null]`},
	{arrowsort.Year, arrow.FixedWidthTypes.Date32, `["2020-12-31", "1969-01-01", null, "2020-01-01"]`,
		arrow.PrimitiveTypes.Int16, `[2020, 1969, null, 2020]`},
	{arrowsort.Year, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Asia/Tokyo"},
		`["2020-12-31 20:00:00", "2020-12-31 01:00:00"]`, arrow.PrimitiveTypes.Int16, `[2021, 2020]`},
	{arrowsort.Modulo(4), arrow.PrimitiveTypes.Int32, `[-7, -4, -1, 0, 3, 5, null]`,
		arrow.PrimitiveTypes.Int8, `[1, 0, 3, 0, 3, 1, null]`},
	{arrowsort.Modulo(300), arrow.PrimitiveTypes.Int8, `[-1, 127, -128]`,
		arrow.PrimitiveTypes.Int16, `[299, 127, 172]`},
	{arrowsort.Modulo(1<<63 - 1), arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 0, 8]`,
		arrow.PrimitiveTypes.Uint64, `[1, 0, 8]`},
	{arrowsort.Lower, arrow.Null, `[null, null]`, arrow.Null, `[null, null]`},
}

// TestSortByFunction: the order by a function of a column is that by a column of its values, in every order, whole, in
// chunks and sliced. Package difftest compares all types, dictionaries and runs among them, with the model.
func TestSortByFunction(t *testing.T) {
	for _, c := range functionCases {
		mem := arrowtest.Checked(t)
		values, made := fromJSON(t, mem, c.typ, c.values), fromJSON(t, mem, c.made, c.results)
		for _, key := range allKeys("") {
			by, plain := key, []arrowsort.Key{key}
			by.Function = c.function
			keys := []arrowsort.Key{by}
			text := fmt.Sprintf("%s of %s: %+v", c.function, c.typ, by)
			want := indices(t, mem, made, plain)
			require.Equal(t, want, indices(t, mem, values, keys), text)
			n := int64(values.Len())
			first, last := array.NewSlice(values, 0, 1), array.NewSlice(values, 1, n)
			require.Equal(t, want, indices(t, mem, chunked(t, c.typ, first, last), keys), text)
			rest := array.NewSlice(made, 1, n)
			require.Equal(t, indices(t, mem, rest, plain), indices(t, mem, last, keys), text)
			first.Release()
			last.Release()
			rest.Release()
		}
	}
}

// TestLengthOfMalformedLists names the column and the row, counted over all chunks.
func TestLengthOfMalformedLists(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	good := fromJSON(t, mem, typ, `[[1], null, [2, 3]]`)
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2, 1, 3}))
	data := array.NewData(typ, 3, []*memory.Buffer{nil, offsets}, good.Data().Children(), 0, 0)
	defer data.Release()
	falling := array.NewListData(data)
	defer falling.Release()
	lists := chunked(t, typ, good, falling)
	schema := arrow.NewSchema([]arrow.Field{{Name: "tags", Type: typ}}, nil)
	column := arrow.NewColumn(schema.Field(0), lists)
	defer column.Release()
	table := array.NewTable(schema, []arrow.Column{*column}, 6)
	defer table.Release()
	by := []arrowsort.Key{{Path: "tags", Function: arrowsort.Length}}
	_, err := arrowsort.SortIndices(t.Context(), table, by, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "key length(tags) of type list<item: int8, nullable>: malformed array: invalid: "+
		"row 4 has -1 elements from element 2 of 3 on")
}

// TestFunctionThenCollation orders text in lower case by another order of text.
func TestFunctionThenCollation(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.BinaryTypes.StringView, `["B10", "b9", "A1", null, "a1", "Ä"]`)
	by := arrowsort.Key{Function: arrowsort.Lower, Collation: arrowsort.Natural}
	require.Equal(t, []uint64{2, 4, 1, 0, 5, 3}, indices(t, mem, a, []arrowsort.Key{by}))
	by.Collation = "de"
	require.Equal(t, []uint64{5, 2, 4, 0, 1, 3}, indices(t, mem, a, []arrowsort.Key{by}))
}

// TestHashIsThatOfTheValue: equal values have one hash, whatever stores them, and a seed makes another order.
func TestHashIsThatOfTheValue(t *testing.T) {
	mem := arrowtest.Checked(t)
	words, numbers := `["b", "a", "", "c", "d", "e"]`, `[1, -2, 0, 4, 100, 7]`
	order := func(typ arrow.DataType, values string, seed uint64) []uint64 {
		a := fromJSON(t, mem, typ, values)
		return indices(t, mem, a, []arrowsort.Key{{Function: arrowsort.Hash(seed)}})
	}
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		require.Equal(t, order(arrow.BinaryTypes.String, words, 0), order(typ, words, 0), typ)
	}
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16,
		arrow.FixedWidthTypes.Duration_s} {
		require.Equal(t, order(arrow.PrimitiveTypes.Int64, numbers, 0), order(typ, numbers, 0), typ)
	}
	require.Equal(t, order(arrow.PrimitiveTypes.Float64, numbers, 3), order(arrow.PrimitiveTypes.Float32, numbers, 3))
	require.NotEqual(t, order(arrow.PrimitiveTypes.Int64, numbers, 0), order(arrow.PrimitiveTypes.Int64, numbers, 1))
	require.Equal(t, []uint64{5, 3, 2, 0, 4, 1}, order(arrow.PrimitiveTypes.Int64, numbers, 0), "it never changes")
}

// TestRandom: the shuffle depends on the numbers of rows and the seed, whatever the columns and their chunks are. Each
// row is there once, and others of the same key are sorted within.
func TestRandom(t *testing.T) {
	mem := arrowtest.Checked(t)
	const rows = 3000
	r := rand.New(rand.NewPCG(testrun.Seed(), 12))
	column := func(typ arrow.DataType) arrow.Array {
		a := arrowtest.Random(r, typ, rows, 0.3, mem)
		t.Cleanup(a.Release)
		return a
	}
	a, b := column(arrow.PrimitiveTypes.Int32), column(arrow.BinaryTypes.String)
	by := []arrowsort.Key{{Function: arrowsort.Random(42)}}
	want := indices(t, mem, a, by)
	require.Equal(t, want, indices(t, mem, record(t, []string{"a", "random(42)"}, a, b), by))
	first, last := array.NewSlice(b, 0, 1700), array.NewSlice(b, 1700, rows)
	defer first.Release()
	defer last.Release()
	require.Equal(t, want, indices(t, mem, table(t, []string{"b"}, []arrow.Array{first, last}), by))
	require.NotEqual(t, want, indices(t, mem, a, []arrowsort.Key{{Function: arrowsort.Random(43)}}))
	seen, moved := map[uint64]bool{}, 0
	for i, row := range want {
		seen[row] = true
		if uint64(i) != row {
			moved++
		}
	}
	require.Len(t, seen, rows)
	require.Greater(t, moved, rows-20)
	down := []arrowsort.Key{{Function: arrowsort.Random(42), Order: arrowsort.Descending}}
	require.Equal(t, want[0], indices(t, mem, a, down)[rows-1])
	within := indices(t, mem, record(t, []string{"a", "b"}, a, b), []arrowsort.Key{{Path: "a"}, by[0]})
	require.Equal(t, indices(t, mem, a, []arrowsort.Key{{}, by[0]}), within)
	few := array.NewSlice(a, 0, 5)
	defer few.Release()
	require.Equal(t, []uint64{4, 3, 1, 0, 2}, indices(t, mem, few, by), "it never changes")
}

// TestRandomWithoutRowNumbers: functions that do not know the numbers that rows had say so.
func TestRandomWithoutRowNumbers(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 2]`))
	by, opts, ctx := []arrowsort.Key{{Path: "a"}, {Function: arrowsort.Random(1)}}, arrowsort.Options{}, t.Context()
	_, _, sorted := arrowsort.IsSorted(ctx, rec, by, opts)
	_, merge := arrowsort.Merge(ctx, []arrow.Record{rec}, by, opts)
	reader, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	require.NoError(t, err)
	defer reader.Release()
	_, readers := arrowsort.MergeReaders(ctx, []array.RecordReader{reader}, by, opts)
	_, search := arrowsort.SearchSorted(ctx, rec, rec, by, arrowsort.Left, opts)
	_, groups := arrowsort.Groups(ctx, rec, by, opts)
	for name, err := range map[string]error{"IsSorted": sorted, "Merge": merge, "MergeReaders": readers,
		"SearchSorted": search, "Groups": groups} {
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, name+" by random(1), which goes by the numbers of rows")
	}
	_, err = arrowsort.CurveIndex(ctx, rec, by, arrowsort.Hilbert, opts)
	require.ErrorContains(t, err, "key random(1) of a curve is a function")
}

// TestFunctionThatCannotBe is found before any work, by the names of the column, its type and the function.
func TestFunctionThatCannotBe(t *testing.T) {
	mem := memory.NewGoAllocator()
	pair := arrow.StructOf(i32Field("a"))
	for _, c := range []struct {
		typ  arrow.DataType
		of   arrowsort.Function
		want string
	}{
		{arrow.PrimitiveTypes.Int64, arrowsort.Lower,
			"key lower(x): the column has type int64, and lower takes text: utf8, large_utf8 or utf8_view; cast it"},
		{arrow.PrimitiveTypes.Int64, arrowsort.Length, "length takes text, binary values, lists"},
		{arrow.BinaryTypes.String, arrowsort.Abs, "key abs(x): the column has type utf8, and abs"},
		{arrow.FixedWidthTypes.Time32s, arrowsort.Year, "year takes dates and timestamps"},
		{arrow.PrimitiveTypes.Float64, arrowsort.Modulo(2), "key x % 2: the column has type float64"},
		{arrowtest.NewExtension(arrow.PrimitiveTypes.Int32), arrowsort.Modulo(2), "% takes integers"},
		{arrow.ListOf(arrow.PrimitiveTypes.Int8), arrowsort.Hash(0), "hash takes all types that"},
		{pair, arrowsort.Hash(0), "key hash(x): the column has type struct<a: int32"},
		{arrow.FixedWidthTypes.DayTimeInterval, arrowsort.Hash(0), "hash takes all types that"},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int8},
			arrowsort.Lower, "key lower(x): the column has type dictionary"},
		{arrow.PrimitiveTypes.Int8, "upper", `key upper(x): unknown function "upper"`},
		{arrow.PrimitiveTypes.Int8, arrowsort.Modulo(0), "key x % 0: the function % 0: give"},
		{arrow.PrimitiveTypes.Int8, arrowsort.Random(3), "key 0 is random(3) and names a column"},
	} {
		a := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), c.typ, 3, 0, mem)
		key := arrowsort.Key{Path: "x", Function: c.of}
		_, err := arrowsort.SortIndices(t.Context(), record(t, []string{"x"}, a), []arrowsort.Key{key},
			arrowsort.Options{})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, c.want)
	}
	for text, of := range map[string]arrowsort.Function{"random(3)": arrowsort.Random(3),
		"length(x)": arrowsort.Length} {
		rec := record(t, []string{"x"}, fromJSON(t, mem, arrow.BinaryTypes.String, `["a"]`))
		key := arrowsort.Key{Path: "x", Function: of, Collation: "de"}
		if of.IsRandom() {
			key.Path = ""
		}
		_, err := arrowsort.SortIndices(t.Context(), rec, []arrowsort.Key{key}, arrowsort.Options{})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, "key "+text+" is no text, which the collation de orders")
	}
}
