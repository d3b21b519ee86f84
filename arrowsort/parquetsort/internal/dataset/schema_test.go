package dataset

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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
		_, err := MatchSchemas(schema(number), schema(field), "second", "first")
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
		_, err := MatchSchemas(schema("x", types[0]), schema("x", types[1]), "b.parquet", "a.parquet")
		require.EqualError(t, err, fmt.Sprintf(`parquetsort: schemas differ: b.parquet: column "x" is of type %s, in `+
			`a.parquet it is %s; types are not converted: write the column with one type first`, types[1], types[0]))
	}
	_, err := MatchSchemas(schema("x", arrow.Null), schema("y", arrow.Null), "b.parquet", "a.parquet")
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
		matched, err := MatchSchemas(schema(declared, "first"), schema(!declared, "second"), "b", "a")
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
