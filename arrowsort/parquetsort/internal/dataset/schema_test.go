package dataset

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestNestedTypesThatDiffer: the error names the field that differs, not two long types.
func TestNestedTypesThatDiffer(t *testing.T) {
	schema := func(field arrow.Field) *arrow.Schema {
		list := arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, field))
		return arrow.NewSchema([]arrow.Field{{Name: "a", Type: list}}, nil)
	}
	number := arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32}
	for want, field := range map[string]arrow.Field{
		`column "a.item.n" is of type utf8, in first it is int32`: {Name: "n",
			Type: arrow.BinaryTypes.String},
		`column "a.item" is of type struct with a field "m", in first it is struct with a field "n"`: {Name: "m",
			Type: number.Type},
	} {
		_, err := matchSchemas(schema(number), schema(field), "second", "first")
		require.ErrorIs(t, err, errkind.ErrSchema)
		require.ErrorContains(t, err, "second: "+want)
	}
}

// TestTypesThatDiffer: the error names file, column and both types, and what to do.
func TestTypesThatDiffer(t *testing.T) {
	schema := func(name string, typ arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{{Name: name, Type: typ}}, nil)
	}
	for _, types := range [][2]arrow.DataType{
		{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString},
		{arrowtest.NewExtension(arrow.PrimitiveTypes.Int32), arrowtest.NewExtension(arrow.PrimitiveTypes.Float32)},
	} {
		_, err := matchSchemas(schema("x", types[0]), schema("x", types[1]), "b.parquet", "a.parquet")
		require.EqualError(t, err, fmt.Sprintf(`parquetsort: schemas differ: b.parquet: column "x" is of type %s, in `+
			`a.parquet it is %s; types are not converted: write the column with one type first`, types[1], types[0]))
	}
	_, err := matchSchemas(schema("x", arrow.Null), schema("y", arrow.Null), "b.parquet", "a.parquet")
	require.ErrorContains(t, err, `b.parquet: there is no column "x", which a.parquet has; all inputs must have the `+
		`same`)
}

// TestTypesThatDifferInWhatTheyDeclare match: what only one of them declares does not hold for the rows of both.
func TestTypesThatDifferInWhatTheyDeclare(t *testing.T) {
	schema := func(declared bool, note string) *arrow.Schema {
		meta := arrow.NewMetadata([]string{"note"}, []string{note})
		runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
		runs.ValueNullable = !declared
		item := arrow.Field{Name: "item", Type: runs, Nullable: !declared, Metadata: meta}
		sorted := arrow.MapOfWithMetadata(arrow.BinaryTypes.String, meta, arrow.ListViewOfField(item), meta)
		sorted.KeysSorted = declared
		sorted.SetItemNullable(!declared)
		value := arrow.Field{Name: "value", Type: arrow.LargeListOf(sorted), Nullable: !declared, Metadata: meta}
		union := arrow.DenseUnionOf([]arrow.Field{value}, []arrow.UnionTypeCode{3})
		return arrow.NewSchema([]arrow.Field{{Name: "x", Type: union, Nullable: !declared}}, nil)
	}
	for _, declared := range []bool{true, false} {
		matched, err := matchSchemas(schema(declared, "first"), schema(!declared, "second"), "b", "a")
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(schema(false, "first"), matched), "%s", matched)
	}
}

func TestTypesThatDoNotAgree(t *testing.T) {
	i32, i64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	a, b := arrow.Field{Name: "a", Type: i32}, arrow.Field{Name: "b", Type: i32}
	for _, c := range [][2]arrow.DataType{
		{i32, i64}, {arrow.ListOf(i32), arrow.ListOf(i64)}, {arrow.ListOf(i32), arrow.LargeListOf(i32)},
		{arrow.StructOf(a), arrow.StructOf(b)}, {arrow.StructOf(a), arrow.StructOf(a, b)},
		{arrow.FixedSizeListOf(2, i32), arrow.FixedSizeListOfNonNullable(3, i32)},
		{arrow.MapOf(i32, i32), arrow.MapOf(i32, i64)},
	} {
		require.Nil(t, matchTypes(c[0], c[1]), "%s and %s", c[0], c[1])
	}
}

// TestKeyColumnOfAPath: the longest start of a path that leads to a field is the column that is read.
func TestKeyColumnOfAPath(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "b.c", Type: arrow.PrimitiveTypes.Int64})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a.b", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: inner},
		{Name: "a.b.d", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	for path, want := range map[string]int{"a.b.c": 1, "a.b": 0, "a": 1, "a.b.d": 2} {
		require.Equal(t, want, ColumnOf(schema, arrowsort.Key{Path: path}), path)
	}
	require.Equal(t, 2, ColumnOf(schema, arrowsort.Key{At: arrowsort.Column(2)}))
}

// TestKeysAreWrittenByPath: but for those whose path would be read as a position.
func TestKeysAreWrittenByPath(t *testing.T) {
	text := arrow.BinaryTypes.String
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "left out", Type: text}, {Name: "#a", Type: arrow.StructOf(arrow.Field{Name: "b", Type: text})},
		{Name: "#1", Type: text}, {Name: "name", Type: text}, {Name: "lower(name)", Type: text}}, nil)
	p := Projection{Schema: schema, Written: []int{1, 2, 3, 4}}
	for _, c := range []struct{ key, want arrowsort.Key }{
		{arrowsort.KeyOf("#a.b"), arrowsort.KeyOf("#a.b")},
		{arrowsort.Key{Path: "#a.b", Collation: arrowsort.FoldCase}, arrowsort.Key{Path: "#a.b",
			Collation: arrowsort.FoldCase}},
		{arrowsort.KeyOf("#1"), arrowsort.KeyAt(1)},
		{arrowsort.KeyAt(4), arrowsort.KeyAt(3)},
		{arrowsort.KeyOf("name"), arrowsort.KeyOf("name")},
	} {
		written, ok := p.WrittenKey(c.key)
		require.True(t, ok, c.key)
		require.Equal(t, c.want, written)
	}
	for _, key := range []arrowsort.Key{arrowsort.KeyOf("left out"), {Function: arrowsort.Random(1)}} {
		_, ok := p.WrittenKey(key)
		require.False(t, ok, key)
	}
}

// TestReadStreamHoldsNoMemory makes sure that the dictionaries of a stream are freed once it is read: the rows are
// sorted, merged and written after that.
func TestReadStreamHoldsNoMemory(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	indices, _, err := array.FromJSON(memory.DefaultAllocator, typ.IndexType, strings.NewReader("[1, 0, 1]"))
	require.NoError(t, err)
	entries, _, err := array.FromJSON(memory.DefaultAllocator, typ.ValueType, strings.NewReader(`["a", "b"]`))
	require.NoError(t, err)
	column := array.NewDictionaryArray(typ, indices, entries)
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ}}, nil)
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecord(schema, []arrow.Array{column}, 3)))
	require.NoError(t, w.Close())

	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	d, err := Open(t.Context(), []string{tablefile.Pipe}, Options{Stdin: &stream, Budget: extsort.MinMemory,
		Allocator: mem, Progress: func(extsort.Phase, int64, int64) {}, Warn: func(string) {}}, true)
	require.NoError(t, err)
	defer d.Close()
	require.True(t, d.IsStream())
	rows := int64(0)
	_, err = d.Scan(t.Context(), ScanOptions{Columns: d.All()}, func(_ int, batch arrow.Table) error {
		rows += batch.NumRows()
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 3, rows)
	mem.AssertSize(t, 0)
}
