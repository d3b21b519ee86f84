package difftest

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// The cases below follow the groups of Arrow C++'s tests of sort_indices, with other values.

func record(t *testing.T, mem memory.Allocator, schema *arrow.Schema, columns ...string) arrow.Record {
	t.Helper()
	arrays := make([]arrow.Array, len(columns))
	for i, json := range columns {
		arrays[i] = fromJSON(t, mem, schema.Field(i).Type, json)
	}
	rec := array.NewRecord(schema, arrays, int64(arrays[0].Len()))
	t.Cleanup(rec.Release)
	return rec
}

func schemaOf(types ...arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: typ, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// key parses "a", "a-" (descending), "a^" (nulls first), "a-^".
func key(text string) arrowsort.Key {
	k := arrowsort.Key{Path: text}
	if n := len(k.Path) - 1; k.Path[n] == '^' {
		k.Path, k.Nulls = k.Path[:n], atStart
	}
	if n := len(k.Path) - 1; k.Path[n] == '-' {
		k.Path, k.Order = k.Path[:n], descending
	}
	return k
}

func keysOf(texts ...string) []arrowsort.Key {
	keys := make([]arrowsort.Key, len(texts))
	for i, text := range texts {
		keys[i] = key(text)
	}
	return keys
}

func TestRecordBatchGroups(t *testing.T) {
	mem := arrowtest.Checked(t)
	u8, i32, str := arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	boolean, dec := arrow.FixedWidthTypes.Boolean, &arrow.Decimal256Type{Precision: 50, Scale: 1}
	small, long := schemaOf(u8, u8), schemaOf(str, dec, boolean)
	noNull := record(t, mem, small, `[3, 1, 3, 0, 2, 1, 1]`, `[5, 3, 4, 6, 5, 5, 3]`)
	nulls := record(t, mem, small, `[null, 1, 3, null, 2, 1]`, `[5, 3, null, null, 5, 5]`)
	more := record(
		t, mem, long, `["b", null, "", "b", "ab", "b"]`, `["1.5", "2.0", null, "-1.5", "9.9", "1.5"]`,
		`[true, false, true, null, false, false]`,
	)
	nothing := record(t, mem, schemaOf(arrow.Null, i32), `[null, null, null, null]`, `[1, 0, null, 1]`)
	for _, c := range []struct {
		name string
		rec  arrow.Record
		keys []arrowsort.Key
		want []uint64
	}{
		{"NoNull", noNull, keysOf("a", "b-"), []uint64{3, 5, 1, 6, 4, 0, 2}},
		{"NoNull", noNull, keysOf("a-", "b"), []uint64{2, 0, 4, 1, 6, 5, 3}},
		{"Null", nulls, keysOf("a", "b-"), []uint64{5, 1, 4, 2, 0, 3}},
		{"Null", nulls, keysOf("a^", "b-^"), []uint64{3, 0, 5, 1, 4, 2}},
		{"Null, mixed placements", nulls, keysOf("a^", "b-"), []uint64{0, 3, 5, 1, 4, 2}},
		{"Null, mixed placements", nulls, keysOf("a-", "b^"), []uint64{2, 4, 1, 5, 3, 0}},
		{"MoreTypes, Decimal", more, keysOf("a", "b", "c"), []uint64{2, 4, 3, 5, 0, 1}},
		{"MoreTypes, Decimal", more, keysOf("b-", "a^"), []uint64{4, 1, 0, 5, 3, 2}},
		{"Boolean", more, keysOf("c^", "b"), []uint64{3, 5, 1, 4, 0, 2}},
		{"Boolean", more, keysOf("c-", "a-"), []uint64{0, 2, 5, 4, 1, 3}},
		{"NullType", nothing, keysOf("a"), []uint64{0, 1, 2, 3}},
		{"NullType", nothing, keysOf("a-^", "b-"), []uint64{0, 3, 1, 2}},
		{"NullType", nothing, keysOf("b", "a"), []uint64{1, 0, 3, 2}},
		{"DuplicateSortKeys", noNull, keysOf("a-", "b", "a", "b-"), []uint64{2, 0, 4, 1, 6, 5, 3}},
		{"DuplicateSortKeys", nulls, keysOf("a", "a-^", "b-"), []uint64{5, 1, 4, 2, 0, 3}},
	} {
		t.Run(c.name, func(t *testing.T) { requireRows(t, mem, c.rec, c.want, c.keys...) })
	}
}

// TestTableGroups sorts a table whose columns are chunked differently, one cut inside runs of nulls.
func TestTableGroups(t *testing.T) {
	mem := arrowtest.Checked(t)
	i32, day := arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Timestamp_s
	columns := [][]string{
		{`[3, null]`, `[]`, `[null, 2, 3]`, `[null]`},
		{
			`["2020-01-01 00:00:00"]`,
			`[null, null, "1969-12-31 23:59:59", "2019-01-01 00:00:00", "2021-01-01 00:00:00"]`,
		},
	}
	schema := schemaOf(i32, day)
	var cols []arrow.Column
	for i, chunks := range columns {
		var arrays []arrow.Array
		for _, json := range chunks {
			arrays = append(arrays, fromJSON(t, mem, schema.Field(i).Type, json))
		}
		chunked := arrow.NewChunked(schema.Field(i).Type, arrays)
		col := arrow.NewColumn(schema.Field(i), chunked)
		chunked.Release()
		t.Cleanup(col.Release)
		cols = append(cols, *col)
	}
	table := array.NewTable(schema, cols, 6)
	t.Cleanup(table.Release)
	requireRows(t, mem, table, []uint64{3, 4, 0, 5, 1, 2}, keysOf("a", "b")...)
	requireRows(t, mem, table, []uint64{1, 2, 5, 0, 4, 3}, keysOf("a-^", "b-^")...)
	requireRows(t, mem, table, []uint64{3, 4, 0, 5, 1, 2}, keysOf("b", "a")...)
	requireRows(t, mem, table, []uint64{1, 2, 3, 4, 0, 5}, keysOf("b^", "a-^")...)

	_, err := arrowsort.SortIndices(t.Context(), table, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	empty := array.NewTable(
		schema, []arrow.Column{*emptyColumn(t, schema.Field(0)), *emptyColumn(t, schema.Field(1))}, 0,
	)
	t.Cleanup(empty.Release)
	requireRows(t, mem, empty, []uint64{}, keysOf("a", "b-^")...)
}

func emptyColumn(t *testing.T, field arrow.Field) *arrow.Column {
	chunked := arrow.NewChunked(field.Type, nil)
	defer chunked.Release()
	col := arrow.NewColumn(field, chunked)
	t.Cleanup(col.Release)
	return col
}

// TestArrayGroups sorts arrays of the types of the groups ForStrings, ForFixedSizeBinary, ForDecimal, ForTemporal,
// Dictionary.
func TestArrayGroups(t *testing.T) {
	mem := arrowtest.Checked(t)
	fixed := &arrow.FixedSizeBinaryType{ByteWidth: 3}
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want []uint64 // ascending, at end
	}{
		{arrow.BinaryTypes.String, `["testing", null, "sort", "for", null, "strings", "", "fo"]`, []uint64{6, 7, 3, 2,
			5, 0, 1, 4}},
		{arrow.BinaryTypes.LargeString,
			`["a prefix of twenty by", "a prefix of twenty bytes", null, "a prefix of twenty b"]`, []uint64{3, 0, 1,
				2}},
		{arrow.BinaryTypes.Binary, `["AAA=", "AA==", "AAE=", "/w==", null, ""]`, []uint64{5, 1, 0, 2, 3, 4}},
		{fixed, `["YWJj", "YWJi", null, "AAAA", "////"]`, []uint64{3, 1, 0, 4, 2}},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, `["123.45", null, "-123.45", "456.78", "-456.78"]`, []uint64{4,
			2, 0, 3, 1}},
		{arrow.FixedWidthTypes.Date32, `["2021-03-01", "1960-05-01", null, "1970-01-01"]`, []uint64{1, 3, 0, 2}},
		{arrow.FixedWidthTypes.Time64us, `["12:00:00.000001", "12:00:00", null, "00:00:00"]`, []uint64{3, 1, 0, 2}},
		{arrow.FixedWidthTypes.Boolean, `[true, true, false, null, false, null]`, []uint64{2, 4, 0, 1, 3, 5}},
		{arrow.PrimitiveTypes.Uint8, `[255, null, 0, 10, 255, 1]`, []uint64{2, 5, 3, 0, 4, 1}},
		{arrow.Null, `[null, null, null]`, []uint64{0, 1, 2}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
			`["b", "c", null, "a", "b"]`, []uint64{3, 0, 4, 1, 2}},
	} {
		t.Run(c.typ.String(), func(t *testing.T) { requireRows(t, mem, fromJSON(t, mem, c.typ, c.json), c.want) })
	}
}
