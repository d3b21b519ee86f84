package writer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

const sampledRows = 50_000

// numberColumn returns a column of integers.
func numberColumn(value func(row int) int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range sampledRows {
		b.Append(value(i))
	}
	return b.NewArray()
}

// textColumn returns a column of text.
func textColumn(texts []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(texts, nil)
	return b.NewArray()
}

// encodedOnce encodes a column as one row group.
func encodedOnce(t *testing.T, a arrow.Array, opts Options) *metadata.FileMetaData {
	opts.Allocator, opts.RowGroupRows = memory.DefaultAllocator, sampledRows
	sc := arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType(), Nullable: true}}, nil)
	table := array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))})
	defer table.Release()
	e, err := NewEncoder(sc, opts)
	require.NoError(t, err)
	var footer *metadata.FileMetaData
	require.NoError(t, e.Encode(t.Context(), table, 0, func(p EncodedColumn) error {
		footer = p.Footer
		return nil
	}))
	return footer
}

// TestEncodingOfTheFewestBytes is chosen by the values, always the same one, and takes no more bytes than plain values
// or a dictionary.
func TestEncodingOfTheFewestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	unique := make([]string, sampledRows)
	for i := range unique {
		unique[i] = fmt.Sprintf("https://example.com/item/%09d", r.IntN(1e9))
	}
	sorted := slices.Sorted(slices.Values(unique))
	names := make([]string, sampledRows)
	for i := range names {
		names[i] = []string{"ATL", "ORD", "LAX"}[r.IntN(3)]
	}
	random := make([]string, sampledRows)
	for i := range random {
		b := make([]byte, r.IntN(30))
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		random[i] = string(b)
	}
	for name, c := range map[string]struct {
		values arrow.Array
		want   int
	}{
		"row numbers": {numberColumn(func(i int) int64 { return int64(i) }), page.DeltaBinaryPacked},
		"sorted times": {numberColumn(func(i int) int64 { return int64(i)*60 + r.Int64N(9) }),
			page.DeltaBinaryPacked},
		"small numbers":    {numberColumn(func(int) int64 { return r.Int64N(1 << 20) }), page.DeltaBinaryPacked},
		"random numbers":   {numberColumn(func(int) int64 { return int64(r.Uint64()) }), page.Plain},
		"few far numbers":  {numberColumn(func(int) int64 { return r.Int64N(30) << 40 }), page.RLEDictionary},
		"one number":       {numberColumn(func(int) int64 { return 7 }), page.RLEDictionary},
		"sorted text":      {textColumn(sorted), page.DeltaByteArray},
		"text of few":      {textColumn(names), page.RLEDictionary},
		"text of no order": {textColumn(random), page.DeltaLengthByteArray},
	} {
		t.Run(name, func(t *testing.T) {
			chosen := encodedOnce(t, c.values, Options{}).RowGroups[0].Columns[0].MetaData
			require.EqualValues(t, c.want, chosen.Encodings[0])
			again := encodedOnce(t, c.values, Options{}).RowGroups[0].Columns[0].MetaData
			require.Equal(t, chosen, again)
			compatible := Options{Encodings: Encodings{Compatible: true}}
			usual := encodedOnce(t, c.values, compatible).RowGroups[0].Columns[0].MetaData
			require.LessOrEqual(t, chosen.TotalCompressedSize, usual.TotalCompressedSize)
			require.Contains(t, []int{page.Plain, page.RLEDictionary}, int(usual.Encodings[0]))
		})
	}
}

// TestEncodingsThatReadersLack are not tried: of floating-point numbers there is none that all of them have.
func TestEncodingsThatReadersLack(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	for i := range sampledRows {
		b.Append(float64(i) / 3)
	}
	values := b.NewArray()
	chosen := encodedOnce(t, values, Options{}).RowGroups[0].Columns[0].MetaData
	require.EqualValues(t, page.Plain, chosen.Encodings[0])
	named := Options{Encodings: Encodings{Columns: map[string]int{"c": page.ByteStreamSplit}}}
	split := encodedOnce(t, values, named).RowGroups[0].Columns[0].MetaData
	require.EqualValues(t, page.ByteStreamSplit, split.Encodings[0])
	require.Less(t, split.TotalCompressedSize, chosen.TotalCompressedSize)
}

// TestDictionariesOfArrow: a column that the Arrow schema of the file has as a dictionary, also in a struct, is plain
// or has a dictionary, even where its rows are values: Arrow C++ reads no other encoding of it.
func TestDictionariesOfArrow(t *testing.T) {
	sorted := make([]string, sampledRows)
	for i := range sorted {
		sorted[i] = fmt.Sprintf("https://example.com/item/%09d", i)
	}
	text := textColumn(sorted)
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: text.DataType()}
	inStruct := func(typ arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64},
			arrow.Field{Name: "x", Type: typ})
	}
	numbers := numberColumn(func(i int) int64 { return int64(i) })
	nested := array.NewStructData(array.NewData(inStruct(text.DataType()), sampledRows, []*memory.Buffer{nil},
		[]arrow.ArrayData{numbers.Data(), text.Data()}, 0, 0))
	for _, c := range []struct {
		values arrow.Array
		stored arrow.DataType
		want   []int
	}{
		{text, text.DataType(), []int{page.DeltaByteArray}},
		{text, dictionary, []int{page.Plain}},
		{nested, nested.DataType(), []int{page.DeltaBinaryPacked, page.DeltaByteArray}},
		{nested, inStruct(dictionary), []int{page.DeltaBinaryPacked, page.Plain}},
	} {
		sc := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.stored, Nullable: true}}, nil)
		var got []int
		for _, chunk := range encodedOnce(t, c.values, Options{Schema: sc}).RowGroups[0].Columns {
			got = append(got, int(chunk.MetaData.Encodings[0]))
		}
		require.Equal(t, c.want, got, "%s", c.stored)
	}
}

func TestParseEncoding(t *testing.T) {
	for _, e := range encodings {
		got, err := ParseEncoding(encodingName(e))
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
	got, err := ParseEncoding("delta_byte_array")
	require.NoError(t, err)
	require.Equal(t, page.DeltaByteArray, got)
	_, err = ParseEncoding("DELTA")
	require.EqualError(t, err, `there is no encoding "DELTA": use PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED, `+
		`DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY or BYTE_STREAM_SPLIT`)
}
