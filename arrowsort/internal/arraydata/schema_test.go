package arraydata

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestMapTypesKeepsEveryNestedType: with the types of the fields as they are, a type is what it was.
func TestMapTypesKeepsEveryNestedType(t *testing.T) {
	var same func(arrow.DataType) arrow.DataType
	same = func(typ arrow.DataType) arrow.DataType { return MapTypes(typ, same) }
	for _, typ := range arrowtest.Types() {
		require.True(t, arrow.TypeEqual(typ, same(typ), arrow.CheckMetadata()), "%s became %s", typ, same(typ))
	}
}

func TestMapTypes(t *testing.T) {
	wide := func(typ arrow.DataType) arrow.DataType {
		if typ.ID() == arrow.INT8 {
			return arrow.PrimitiveTypes.Int64
		}
		return typ
	}
	i8, i64 := arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64
	for _, c := range [][2]arrow.DataType{
		{arrow.ListOf(i8), arrow.ListOf(i64)}, {arrow.FixedSizeListOf(3, i8), arrow.FixedSizeListOf(3, i64)},
		{arrow.StructOf(arrow.Field{Name: "a", Type: i8}), arrow.StructOf(arrow.Field{Name: "a", Type: i64})},
		{i8, i8}, {arrow.ListOf(arrow.ListOf(i8)), arrow.ListOf(arrow.ListOf(i8))}, // one level only
	} {
		require.True(t, arrow.TypeEqual(c[1], MapTypes(c[0], wide)), "%s", c[0])
	}
}

// TestAny looks at the storage of extension types, at every level.
func TestAny(t *testing.T) {
	isString := func(typ arrow.DataType) bool { return typ.ID() == arrow.STRING }
	text := arrowtest.NewExtension(arrow.BinaryTypes.String)
	require.True(t, Any(text, isString))
	require.True(t, Any(arrow.ListOf(arrow.MapOf(arrow.PrimitiveTypes.Int8, text)), isString))
	require.False(t, Any(arrow.ListOf(arrow.PrimitiveTypes.Int8), isString))
	require.Equal(t, arrow.STRING, Storage(text).ID())
}

func TestPick(t *testing.T) {
	meta := arrow.MetadataFrom(map[string]string{"k": "v"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "b", Type: arrow.Null}}, &meta)
	require.Same(t, schema, Pick(schema, nil))
	picked := Pick(schema, []int{1})
	require.Equal(t, []string{"b"}, []string{picked.Field(0).Name})
	require.Equal(t, meta, picked.Metadata())
}
