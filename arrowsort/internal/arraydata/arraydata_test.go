package arraydata

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestNullsOfEveryType(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	view := arrow.Field{Name: "v", Type: arrow.BinaryTypes.StringView, Nullable: true}
	types := append(arrowtest.Types(), arrow.StructOf(view), arrow.MapOf(arrow.BinaryTypes.BinaryView, view.Type),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListViewOf(view.Type)},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, view.Type))
	for _, typ := range types {
		for _, n := range []int{0, 1, 300} {
			a := Nulls(mem, typ, n)
			require.True(t, arrow.TypeEqual(typ, a.DataType()))
			require.Equal(t, n, a.Len())
			for i := range n {
				require.Contains(t, arrowtest.Value(a, i), "null", "%s", typ) // in a union after the child
			}
			a.Release()
		}
	}
}

func TestNullsOfEveryKind(t *testing.T) {
	require.True(t, IsNull(array.NewNull(2), 1))
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	entries := arrowtest.FromJSON(t, typ.ValueType, `["a", null]`)
	dictionary := array.NewDictionaryArray(typ, arrowtest.FromJSON(t, typ.IndexType, `[0, 1, null]`), entries)
	for i, null := range []bool{false, true, true} {
		require.Equal(t, null, IsNull(dictionary, i), i)
	}
	runs := array.NewRunEndEncodedArray(arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int32, `[2, 3]`), entries, 3, 0)
	for i, null := range []bool{false, false, true} {
		require.Equal(t, null, IsNull(runs, i), i)
	}
}
