package writer

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// TestTextKeepsUsedEntriesOnly takes slices of dictionary arrays with indices of every width.
func TestTextKeepsUsedEntriesOnly(t *testing.T) {
	s := new(encodeBuffers)
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		typ := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
		whole, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 3, null, 1, 3, 1, 4]`,
			`["unused", "b", "x", "a", "z"]`)
		require.NoError(t, err)
		d := array.NewSlice(whole, 1, 6).(*array.Dictionary)
		v := &flatValues{rows: 5, validity: d.NullBitmapBytes(), offset: 1, nulls: 1}
		require.True(t, v.setEntries(d, s), index)
		require.Equal(t, 2, v.count)
		require.Equal(t, "\x01\x00\x00\x00b\x01\x00\x00\x00a", string(v.entries))
		require.Equal(t, []int32{1, 0, 1, 0}, []int32{v.indices[0], v.indices[2], v.indices[3], v.indices[4]})
		require.Equal(t, 1, v.width())
		d.Release()
		whole.Release()
	}
}

func TestTextThatHasNoDictionaryOfItsOwn(t *testing.T) {
	for _, entries := range []string{`["a", null]`, `["a", "a"]`, `[1, 2]`} {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
		if entries == `[1, 2]` {
			typ.ValueType = arrow.PrimitiveTypes.Int64
		}
		d, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 1]`, entries)
		require.NoError(t, err)
		require.False(t, new(flatValues).setEntries(d.(*array.Dictionary), new(encodeBuffers)), entries)
		d.Release()
	}
}

func TestWidthOfIndices(t *testing.T) {
	for count, width := range map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 256: 8, 257: 9,
		dictionary.MaxEntries: 16} {
		require.Equal(t, width, (&flatValues{count: count}).width(), count)
	}
}
