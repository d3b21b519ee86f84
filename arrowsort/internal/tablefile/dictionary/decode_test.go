package dictionary

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
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
		numbers := indices.NewArray()
		indices.Release()
		words := array.NewDictionaryArray(
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: typ}, numbers, entries)
		values, err := RowValues(t.Context(), words.Data(), take.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, typ, values.DataType())
		for i := range 3 {
			require.Equal(t, arrowtest.Value(words, i), arrowtest.Value(values, i))
		}
		for _, a := range []arrow.Array{entries, numbers, words, values} {
			a.Release()
		}
	}
}
