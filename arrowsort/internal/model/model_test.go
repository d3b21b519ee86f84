package model

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// columnOf returns a column of one chunk, read from JSON.
func columnOf(t *testing.T, typ arrow.DataType, json string) Column {
	arr, _, err := array.FromJSON(memory.NewGoAllocator(), typ, strings.NewReader(json), array.WithUseNumber())
	require.NoError(t, err)
	return Column{typ, []arrow.Array{arr}}
}

// TestRowsOfFloats writes the four modes down by hand.
func TestRowsOfFloats(t *testing.T) {
	b := array.NewFloat64Builder(memory.NewGoAllocator())
	b.AppendNull()
	b.AppendValues([]float64{math.NaN(), 1, 0, math.Copysign(0, -1), math.Inf(-1), -math.NaN(), math.Inf(1)}, nil)
	b.AppendNull()
	columns := []Column{{arrow.PrimitiveTypes.Float64, []arrow.Array{b.NewArray()}}}
	for _, c := range []struct {
		key  Key
		want []uint64
	}{
		{Key{}, []uint64{5, 3, 4, 2, 7, 1, 6, 0, 8}}, {Key{Descending: true}, []uint64{7, 2, 3, 4, 5, 1, 6, 0, 8}},
		{Key{NullsFirst: true}, []uint64{0, 8, 1, 6, 5, 3, 4, 2, 7}},
		{Key{Descending: true, NullsFirst: true}, []uint64{0, 8, 1, 6, 7, 2, 3, 4, 5}},
	} {
		require.Equal(t, c.want, Rows(columns, 9, []Key{c.key}), "%+v", c.key)
	}
}

func TestRowsOfTypes(t *testing.T) {
	number := func(field arrow.DataType) arrow.DataType {
		return arrow.StructOf(
			arrow.Field{Name: "a", Type: field, Nullable: true},
			arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		)
	}
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want []uint64
	}{
		{arrow.FixedWidthTypes.Boolean, `[true, null, false, true]`, []uint64{2, 0, 3, 1}},
		{arrow.PrimitiveTypes.Int8, `[-1, 127, -128, 0]`, []uint64{2, 0, 3, 1}},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, 0, 9223372036854775808]`, []uint64{1, 2, 0}},
		{arrow.BinaryTypes.String, `["b", "", "ab", "a", null, "é"]`, []uint64{1, 3, 2, 0, 5, 4}},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2},
			`["1.00", "-170141183460469231731687303715884105.72", "0.00", "-0.01"]`, []uint64{1, 3, 2, 0}},
		{arrow.Null, `[null, null]`, []uint64{0, 1}},
		{number(arrow.PrimitiveTypes.Int32),
			`[{"a": 2, "b": 1}, {"a": 1, "b": 5}, null, {"a": 1, "b": 4}, {"a": null, "b": 0}]`, []uint64{3, 1, 0, 4,
				2}},
	} {
		columns := []Column{columnOf(t, c.typ, c.json)}
		require.Equal(t, c.want, Rows(columns, len(c.want), []Key{{}}), "%s", c.typ)
	}
}

// TestRowsOfDictionary has an entry twice and a null entry.
func TestRowsOfDictionary(t *testing.T) {
	entries := columnOf(t, arrow.BinaryTypes.String, `["b", "a", null, "b", "a"]`).Chunks[0]
	indices := columnOf(t, arrow.PrimitiveTypes.Int16, `[3, 2, 4, null, 0, 1]`).Chunks[0]
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	columns := []Column{{typ, []arrow.Array{array.NewDictionaryArray(typ, indices, entries)}}}
	require.Equal(t, []uint64{2, 5, 0, 4, 1, 3}, Rows(columns, 6, []Key{{}}))
	require.Equal(t, []uint64{1, 3, 0, 4, 2, 5}, Rows(columns, 6, []Key{{Descending: true, NullsFirst: true}}))
}

// TestRowsOfKeys has chunks, a second key, a key inside a struct and a repeated one.
func TestRowsOfKeys(t *testing.T) {
	first, second := columnOf(t, arrow.PrimitiveTypes.Int64, `[2, 1]`), columnOf(
		t, arrow.PrimitiveTypes.Int64, `[2, 1]`,
	)
	pair := arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true},
	)
	columns := []Column{
		{arrow.PrimitiveTypes.Int64, append(first.Chunks, second.Chunks...)},
		columnOf(t, pair, `[{"x": 0, "y": "p"}, null, {"x": 0, "y": "q"}, {"x": 0, "y": null}]`),
	}
	y := Key{Column: 1, Fields: []int{1}}
	require.Equal(t, []uint64{1, 3, 0, 2}, Rows(columns, 4, []Key{{}}))
	require.Equal(t, []uint64{1, 3, 0, 2}, Rows(columns, 4, []Key{{}, y}))
	y.Descending, y.NullsFirst = true, true
	require.Equal(t, []uint64{1, 3, 2, 0}, Rows(columns, 4, []Key{y}))
	require.Equal(t, []uint64{2, 0, 1, 3}, Rows(columns, 4, []Key{{Descending: true}, {}, y}))
}
