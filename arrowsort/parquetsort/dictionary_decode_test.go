package parquetsort

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestDictionariesOfViewsBecomeValues: as Polars writes its categories.
func TestDictionariesOfViewsBecomeValues(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView} {
		b := array.NewBuilder(mem, typ)
		require.NoError(t, b.UnmarshalJSON([]byte(`["YQ==", "bW9yZSB0aGFuIHR3ZWx2ZSBieXRlcw=="]`)))
		entries := b.NewArray()
		b.Release()
		indices := array.NewUint32Builder(mem)
		indices.AppendValues([]uint32{1, 0, 0}, []bool{true, true, false})
		rows := indices.NewArray()
		indices.Release()
		dictionary := array.NewDictionaryArray(
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: typ}, rows, entries)
		values, err := dictionaryValues(t.Context(), dictionary.Data(), arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, typ, values.DataType())
		for i := range 3 {
			require.Equal(t, arrowtest.Value(dictionary, i), arrowtest.Value(values, i))
		}
		for _, a := range []arrow.Array{entries, rows, dictionary, values} {
			a.Release()
		}
	}
}
