package dictionary

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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

// TestDecodedSchema: dictionaries become their values at every level, and nothing else changes.
func TestDecodedSchema(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	ofWords := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(words)}
	meta := arrow.MetadataFrom(map[string]string{"owner": "tests"})
	field := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true, Metadata: meta}
	}
	schema := func(word, list arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{
			field("flat", word), field("nested", arrow.StructOf(field("a", word), field("b", arrow.ListOf(word)))),
			field("map", arrow.MapOf(arrow.BinaryTypes.String, word)), field("twice", list),
			field("number", arrow.PrimitiveTypes.Int64)}, &meta)
	}
	decoded, err := DecodedSchema(schema(words, ofWords))
	require.NoError(t, err)
	want := schema(arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String))
	require.True(t, want.Equal(decoded), "%s", decoded)
	require.Equal(t, meta, decoded.Metadata())
}

// TestDecodedSchemaOfExtensions: an extension type says itself what it stores.
func TestDecodedSchemaOfExtensions(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	_, err := DecodedSchema(arrow.NewSchema([]arrow.Field{{Name: "tag", Type: arrowtest.NewExtension(words)}}, nil))
	require.ErrorIs(t, err, errkind.ErrUnsupported)
	require.ErrorContains(t, err, `column "tag"`)
}

// TestWithType: a column with a decoded type has the values that it had.
func TestWithType(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	first := dictionaryOf(t, arrow.BinaryTypes.String, `[1, null, 0]`, `["x", "y"]`)
	second := dictionaryOf(t, arrow.BinaryTypes.String, `[0, 1]`, `["y", null]`)
	offsets := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int32, `[0, 2, 2, 3]`)
	list := array.NewData(arrow.ListOf(first.DataType()), 3, []*memory.Buffer{nil, offsets.Data().Buffers()[1]},
		[]arrow.ArrayData{first.Data()}, 0, 0)
	for _, arrays := range [][]arrow.Array{{first, second}, {array.MakeFromData(list)}, {offsets}} {
		column := arrow.NewChunked(arrays[0].DataType(), arrays)
		typ := DecodedType(column.DataType())
		decoded, err := WithType(t.Context(), column, typ, take.Options{Allocator: mem})
		require.NoError(t, err)
		require.True(t, arrow.TypeEqual(typ, decoded.DataType()))
		require.Equal(t, arrowtest.Values(column), arrowtest.Values(decoded))
		decoded.Release()
	}
}

// TestRowValuesAboveTwoGiB: one array of strings has offsets of 32 bits, so that a piece with more text is refused by
// the budget of its rows, before the text is copied.
func TestRowValuesAboveTwoGiB(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.Append(strings.Repeat("x", 1<<20))
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	indices := array.NewInt32Builder(memory.DefaultAllocator)
	indices.AppendValues(make([]int32, 2100), nil)
	a := array.NewDictionaryArray(typ, indices.NewArray(), b.NewArray())
	_, err := RowValues(t.Context(), a.Data(), take.Options{Allocator: memory.DefaultAllocator})
	require.ErrorIs(t, err, errkind.ErrBudget)
	require.ErrorContains(t, err, "2100 rows")
}
