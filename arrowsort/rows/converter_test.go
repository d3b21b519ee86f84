package rows_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

func binaryOf(values ...[]byte) arrow.Array {
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	for _, v := range values {
		b.Append(v)
	}
	return b.NewArray()
}

func TestConverterErrors(t *testing.T) {
	_, err := rows.NewConverter()
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	for _, typ := range []arrow.DataType{
		arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), arrow.FixedWidthTypes.DayTimeInterval,
		structOf(arrow.PrimitiveTypes.Int8, arrow.FixedWidthTypes.MonthDayNanoInterval),
	} {
		_, err := rows.NewConverter(rows.Field{Name: "k", Type: typ})
		require.ErrorIs(t, err, arrowsort.ErrKeyType)
		require.ErrorContains(t, err, "key k")
	}
	_, err = rows.NewConverter(rows.Field{Type: arrow.Null, Order: 2})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = rows.ForKeys(arrow.NewSchema(nil, nil), []arrowsort.Key{{Path: "a"}})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

func TestEncodeErrors(t *testing.T) {
	i8 := fromJSON(t, arrow.PrimitiveTypes.Int8, `[1, 2]`)
	rec := recordOf(i8)
	defer rec.Release()
	two := newConverter(t, rows.Field{Type: arrow.PrimitiveTypes.Int8},
		rows.Field{Name: "s", Type: arrow.BinaryTypes.String})
	_, err := two.Encode(t.Context(), rec, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
	require.ErrorContains(t, err, "key s is in column 1, the data has 1 columns")
	other := newConverter(t, rows.Field{Type: arrow.PrimitiveTypes.Int16})
	_, err = other.Encode(t.Context(), rec, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "column a has type int8, the converter is for int16")

	one := newConverter(t, rows.Field{Type: arrow.PrimitiveTypes.Int8})
	_, err = one.Encode(t.Context(), nil, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = one.Encode(t.Context(), rec, rows.Options{Threads: -1})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	encoded, err := one.Encode(t.Context(), rec, rows.Options{})
	require.NoError(t, err)
	_, err = one.Decode(t.Context(), encoded, rows.Options{Threads: -1})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	for _, row := range []int{-1, 2} {
		dst, err := one.AppendRow([]byte("x"), rec, row)
		require.ErrorIs(t, err, arrowsort.ErrIndex)
		require.Equal(t, []byte("x"), dst)
	}
}

// TestMalformedArrays has buffers that contradict each other: an error for Encode and AppendRow, no panic.
func TestMalformedArrays(t *testing.T) {
	buffer := func(b []byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	int32s := func(values ...int32) *memory.Buffer {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return buffer(b)
	}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int8}
	entries := fromJSON(t, arrow.PrimitiveTypes.Int8, `[1, 2]`)
	for _, index := range []int32{2, -1, 1 << 30} {
		data := array.NewDataWithDictionary(
			dictionary, 2, []*memory.Buffer{nil, int32s(0, index)}, 0, 0, entries.Data().(*array.Data))
		a := array.MakeFromData(data)
		converter := newConverter(t, rows.Field{Name: "k", Type: data.DataType()})
		_, err := converter.Encode(t.Context(), a, rows.Options{Allocator: arrowtest.Checked(t)})
		require.ErrorIs(t, err, arrow.ErrInvalid)
		require.ErrorContains(t, err, "key k")
		require.ErrorContains(t, err, "in a dictionary of 2 entries")
		_, err = converter.AppendRow(nil, a, 1)
		require.ErrorIs(t, err, arrow.ErrInvalid)
		data.Release()
	}
}

// TestSchemaOfDecode: dictionaries and runs become their values, extension types stay where their storage does.
func TestSchemaOfDecode(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dictionary)
	converter := newConverter(t, rows.Field{Name: "a", Type: runs}, rows.Field{Type: structOf(dictionary)},
		rows.Field{Type: arrow.FixedWidthTypes.Timestamp_ns})
	want := []arrow.DataType{arrow.BinaryTypes.String, structOf(arrow.BinaryTypes.String),
		arrow.FixedWidthTypes.Timestamp_ns}
	require.Equal(t, "a", converter.Schema().Field(0).Name)
	for i, typ := range want {
		require.True(t, arrow.TypeEqual(typ, converter.Schema().Field(i).Type), "%d", i)
	}
}

// TestStructWithoutFields: it has no field that is not null, so that each of its rows is a null, and no bytes.
func TestStructWithoutFields(t *testing.T) {
	inner := arrow.Field{Name: "s", Type: arrow.StructOf(), Nullable: true}
	outer := arrow.StructOf(inner, arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	mem := arrowtest.Checked(t)
	for _, c := range []struct {
		typ        arrow.DataType
		json, want string
	}{
		{arrow.StructOf(), `[null, null]`, `[(null) (null)]`},
		{outer, `[null, {"s": null, "x": 1}, {"s": null, "x": null}]`, `[(null) {"s":null,"x":1} (null)]`},
		{arrow.StructOf(inner), `[null]`, `[(null)]`},
	} {
		a := fromJSON(t, c.typ, c.json)
		converter := newConverter(t, rows.Field{Type: c.typ})
		encoded, err := converter.Encode(t.Context(), a, rows.Options{Allocator: mem})
		require.NoError(t, err)
		decoded, err := converter.Decode(t.Context(), encoded, rows.Options{Allocator: mem})
		require.NoError(t, err)
		column := decoded.Column(0)
		require.Equal(t, a.NullN()+strings.Count(c.json, `"x": null`), column.NullN(), c.json)
		var got []string
		for i := range column.Len() {
			got = append(got, column.ValueStr(i))
		}
		require.Equal(t, c.want, fmt.Sprint(got))
		decoded.Release()
		encoded.Release()
	}
}

func TestNewRows(t *testing.T) {
	r, err := rows.NewRows([]byte("xabbc"), []int64{1, 2, 2, 4})
	require.NoError(t, err)
	require.Equal(t, 3, r.Len())
	require.Equal(t, []byte("a"), r.Row(0))
	require.Empty(t, r.Row(1))
	require.Equal(t, []byte("bb"), r.Row(2))
	require.Equal(t, 2, cap(r.Row(2)), "appending to a row must not change the next one")
	require.Equal(t, []int{1, -1, 0}, []int{r.Compare(0, 1), r.Compare(0, 2), r.Compare(2, 2)})
	for _, offsets := range [][]int64{{-1, 0}, {0, 2, 1}, {0, 6}} {
		_, err := rows.NewRows([]byte("xabbc"), offsets)
		require.ErrorIs(t, err, arrowsort.ErrOption)
	}
	_, err = rows.NewRows(nil, nil)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	none, err := rows.NewRows(nil, []int64{0})
	require.NoError(t, err)
	require.Zero(t, none.Len())
}

// TestMalformedStringsAreErrors in Encode and AppendRow.
func TestMalformedStringsAreErrors(t *testing.T) {
	a := arrowtest.MalformedStrings()
	defer a.Release()
	c := newConverter(t, rows.Field{Type: arrow.BinaryTypes.String})
	_, err := c.Encode(t.Context(), a, rows.Options{})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	for row := range 2 {
		_, err = c.AppendRow(nil, a, row)
		require.ErrorIs(t, err, arrow.ErrInvalid)
	}
	_, err = rows.NewConverter(rows.Field{Name: "k"})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.Zero(t, new(rows.Rows).Len())
}

// TestNilArguments calls every function with a nil in place of each argument that can be one.
func TestNilArguments(t *testing.T) {
	var noContext context.Context
	keys := []arrowsort.Key{{Path: "a"}}
	rec := recordOf(fromJSON(t, arrow.PrimitiveTypes.Int8, `[1]`))
	defer rec.Release()
	converter, err := rows.ForKeys(rec.Schema(), keys)
	require.NoError(t, err)
	encoded, err := converter.Encode(t.Context(), rec, rows.Options{})
	require.NoError(t, err)
	defer encoded.Release()
	for _, none := range []arrowsort.Data{nil, (*arrow.Chunked)(nil), (*array.Int8)(nil), (*array.Struct)(nil),
		(*array.Data)(nil)} {
		_, err = converter.Encode(t.Context(), none, rows.Options{})
		require.ErrorIs(t, err, arrowsort.ErrOption, "%T", none)
		_, err = converter.AppendRow(nil, none, 0)
		require.ErrorIs(t, err, arrowsort.ErrOption, "%T", none)
	}
	_, err = converter.Encode(noContext, rec, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = converter.Decode(noContext, encoded, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = converter.Decode(t.Context(), nil, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = rows.ForKeys(nil, keys)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = rows.ForKeys(rec.Schema(), nil)
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	_, err = rows.NewConverter(rows.Field{Type: (*arrow.Int8Type)(nil)})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	row, err := converter.AppendRow(nil, rec, 0)
	require.NoError(t, err)
	require.Equal(t, encoded.Row(0), row)
}
