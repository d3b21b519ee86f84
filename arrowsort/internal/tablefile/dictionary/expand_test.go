package dictionary

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// dictionaryOf is an array of indices, in JSON, into a dictionary of entries, in JSON.
func dictionaryOf(t *testing.T, entries arrow.DataType, indices, values string) arrow.Array {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: entries}
	return array.NewDictionaryArray(typ, arrowtest.FromJSON(t, typ.IndexType, indices),
		arrowtest.FromJSON(t, entries, values))
}

// TestExpand: rows get their text in any type of text, and null for a null index as for the index of a null. Chunks
// stay as they are, and may have different dictionaries.
func TestExpand(t *testing.T) {
	for _, c := range []struct{ entries, rows arrow.DataType }{
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString},
		{arrow.BinaryTypes.Binary, arrow.BinaryTypes.Binary},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		first := dictionaryOf(t, c.entries, `[1, null, 0, 2, 1]`, `["YQ==", "", null]`)
		second := dictionaryOf(t, c.entries, `[0]`, `["YmI="]`)
		column := arrow.NewChunked(first.DataType(), []arrow.Array{first, second})
		expanded, err := Expand(column, c.rows, mem)
		require.NoError(t, err)
		require.Equal(t, c.rows, expanded.DataType())
		require.Equal(t, 2, len(expanded.Chunks()))
		require.Equal(t, arrowtest.Values(column), arrowtest.Values(expanded))
		require.Equal(t, 2, expanded.NullN())
		expanded.Release()
		mem.AssertSize(t, 0)
	}
}

// TestExpandBeyondOffsets: offsets of 32 bits have no room for more text in a chunk.
func TestExpandBeyondOffsets(t *testing.T) {
	for typ, chunks := range map[arrow.DataType]int{arrow.BinaryTypes.String: 3, arrow.BinaryTypes.LargeString: 2} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		first := dictionaryOf(t, arrow.BinaryTypes.String, `[0, 1, null, 0]`, `["YWI=", "YmI="]`)
		second := dictionaryOf(t, arrow.BinaryTypes.String, `[0]`, `["YmI="]`)
		column := arrow.NewChunked(first.DataType(), []arrow.Array{first, second})
		expanded, err := expand(column, typ, 8, mem)
		require.NoError(t, err)
		require.Len(t, expanded.Chunks(), chunks)
		require.Equal(t, arrowtest.Values(column), arrowtest.Values(expanded))
		expanded.Release()
		mem.AssertSize(t, 0)
	}
}

// TestExpandToAnotherType: a column that is no text has no dictionary in Parquet.
func TestExpandToAnotherType(t *testing.T) {
	a := dictionaryOf(t, arrow.BinaryTypes.String, `[0]`, `["a"]`)
	column := arrow.NewChunked(a.DataType(), []arrow.Array{a})
	_, err := Expand(column, arrow.PrimitiveTypes.Int64, memory.DefaultAllocator)
	require.ErrorIs(t, err, errkind.ErrCorrupt)
}

// TestUnify: after it equal indices of all chunks are equal values, also inside nested types, and the values are what
// they were.
func TestUnify(t *testing.T) {
	mem := arrowtest.Checked(t)
	first := dictionaryOf(t, arrow.BinaryTypes.String, `[1, null, 0]`, `["x", "y"]`)
	second := dictionaryOf(t, arrow.BinaryTypes.String, `[0, 1, 1]`, `["y", "z"]`)
	wrap := func(a arrow.Array) arrow.Array {
		s, err := array.NewStructArray([]arrow.Array{a}, []string{"word"})
		require.NoError(t, err)
		return s
	}
	nested := []arrow.Array{wrap(first), wrap(second)}
	schema := arrow.NewSchema([]arrow.Field{{Name: "flat", Type: first.DataType(), Nullable: true},
		{Name: "nested", Type: nested[0].DataType()}, {Name: "number", Type: arrow.PrimitiveTypes.Int8}}, nil)
	numbers := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int8, `[1, 2, 3]`)
	table := array.NewTableFromSlice(schema, [][]arrow.Array{{first, second}, nested, {numbers, numbers}})
	unified, err := Unify(t.Context(), mem, table)
	require.NoError(t, err)
	defer unified.Release()
	require.True(t, schema.Equal(unified.Schema()))
	for i := range int(table.NumCols()) {
		require.Equal(t, arrowtest.Values(table.Column(i).Data()), arrowtest.Values(unified.Column(i).Data()))
	}
	dictionaries := func(column int, of func(arrow.Array) arrow.Array) {
		chunks := unified.Column(column).Data().Chunks()
		require.Equal(t, 2, len(chunks))
		one, other := of(chunks[0]).(*array.Dictionary), of(chunks[1]).(*array.Dictionary)
		require.True(t, array.Equal(one.Dictionary(), other.Dictionary()))
		require.Equal(t, 3, one.Dictionary().Len())
		require.Equal(t, one.GetValueIndex(0), other.GetValueIndex(0), "both are y")
	}
	dictionaries(0, func(a arrow.Array) arrow.Array { return a })
	dictionaries(1, func(a arrow.Array) arrow.Array { return a.(*array.Struct).Field(0) })
}

// TestValues: an array of the entries that the rows refer to, of any type.
func TestValues(t *testing.T) {
	mem := arrowtest.Checked(t)
	list := arrow.ListOf(arrow.PrimitiveTypes.Int64)
	for _, c := range []struct {
		typ     arrow.DataType
		entries string
	}{
		{arrow.PrimitiveTypes.Int64, `[-1, null, 7]`},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`},
		{arrow.BinaryTypes.String, `["a", null, ""]`},
		{list, `[[1, 2], null, []]`},
	} {
		a := dictionaryOf(t, c.typ, `[2, 0, null, 1, 2]`, c.entries).(*array.Dictionary)
		values, err := Values(t.Context(), a, take.Options{Allocator: mem})
		require.NoError(t, err)
		require.True(t, arrow.TypeEqual(c.typ, values.DataType()))
		require.Equal(t, a.Len(), values.Len())
		for i := range a.Len() {
			require.Equal(t, arrowtest.Value(a, i), arrowtest.Value(values, i), "%s, row %d", c.typ, i)
		}
		arraydata.Release([]arrow.Array{values})
	}
}

// TestDictionariesOfViewsBecomeValues: as Polars writes its categories.
func TestDictionariesOfViewsBecomeValues(t *testing.T) {
	mem := arrowtest.Checked(t)
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
		values, err := rowValues(t.Context(), words.Data(), take.Options{Allocator: mem})
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
	mem := arrowtest.Checked(t)
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
	_, err := rowValues(t.Context(), a.Data(), take.Options{Allocator: memory.DefaultAllocator})
	require.ErrorIs(t, err, errkind.ErrBudget)
	require.ErrorContains(t, err, "2100 rows")
}
