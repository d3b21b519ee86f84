package rows_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// keyTypes are types that can be keys: flat ones, dictionaries and runs of each of them, structs, and lists, maps and
// unions of all depths.
func keyTypes() []arrow.DataType { return append(flatKeyTypes(), nestedTypes()...) }

// flatKeyTypes are the types without elements.
func flatKeyTypes() (types []arrow.DataType) {
	indices := []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint32,
		arrow.PrimitiveTypes.Uint64,
	}
	for i, typ := range arrowtest.Flat() {
		if adapter.Sortable(typ) {
			types = append(types, typ, &arrow.DictionaryType{IndexType: indices[i%8], ValueType: typ},
				arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, typ))
		}
	}
	inner := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	pair := structOf(arrow.FixedWidthTypes.Float16, arrow.BinaryTypes.StringView)
	return append(types,
		&arrow.FixedSizeBinaryType{ByteWidth: 0},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: inner},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, inner),
		arrowtest.NewExtension(inner), arrow.StructOf(), pair, structOf(pair, inner), arrowtest.NewExtension(pair),
		structOf(arrow.Null, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean)))
}

// nestedTypes are lists, maps and unions: all of arrowtest, lists of every flat type, and more that lie in one another.
func nestedTypes() (types []arrow.DataType) {
	for _, typ := range arrowtest.Types() {
		if _, _, ok := adapter.Unordered("", typ); ok && typ.ID() >= arrow.LIST {
			types = append(types, typ)
		}
	}
	for i, typ := range arrowtest.Flat() {
		if adapter.Sortable(typ) {
			types = append(types, arrowtest.Containers()[i%9+1].Of(arrow.Field{Name: "v", Type: typ, Nullable: true}))
		}
	}
	text, fields := arrow.BinaryTypes.String, []arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "b", Type: structOf(arrow.BinaryTypes.Binary, arrow.StructOf()), Nullable: true},
		{Name: "c", Type: arrow.LargeListViewOf(arrow.FixedWidthTypes.Boolean), Nullable: true}}
	sparse := arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{7, 127, 0})
	dense := arrow.DenseUnionOf(append(fields, arrow.Field{Name: "d", Type: sparse}), []arrow.UnionTypeCode{3, 1, 2, 9})
	return append(types, sparse, dense, structOf(arrow.Null, dense), arrow.ListOf(structOf(dense, text)),
		arrow.MapOf(text, dense), arrow.ListOf(arrow.StructOf()), arrow.FixedSizeListOf(1, text),
		arrow.LargeListOf(arrow.ListViewOf(arrow.FixedSizeListOf(2, arrow.ListOf(text)))),
		arrow.ListOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(text)}))
}

func structOf(types ...arrow.DataType) arrow.DataType {
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: typ, Nullable: true}
	}
	return arrow.StructOf(fields...)
}

// modes are all orders and null placements.
var modes = []arrowsort.Key{
	{}, {Nulls: arrowsort.NullsAtStart}, {Order: arrowsort.Descending},
	{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
}

// random returns a slice of random rows, with NaN, zeros and infinities among floats and bytes to escape among strings.
func random(rng *rand.Rand, typ arrow.DataType, n int, nulls float64, mem memory.Allocator) arrow.Array {
	offset := []int{0, 1, 7, 31, 63}[rng.IntN(5)]
	a := arrowtest.RandomSlice(rng, typ, n, offset, nulls, mem)
	season(rng, a.Data())
	return a
}

// season changes about every second value of floats and strings to one that is a separate case.
func season(rng *rand.Rand, data arrow.ArrayData) {
	if d, ok := data.(*array.Data); ok && data.DataType().ID() == arrow.DICTIONARY {
		season(rng, d.Dictionary())
	}
	for _, child := range data.Children() {
		season(rng, child)
	}
	typ := data.DataType()
	if e, ok := typ.(arrow.ExtensionType); ok {
		typ = e.StorageType()
	}
	b := data.Buffers()
	switch typ.ID() {
	case arrow.FLOAT16:
		specials(rng, b[1].Bytes(), 2, []uint64{0, 1 << 15, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff, 1, 0x8001})
	case arrow.FLOAT32:
		specials(rng, b[1].Bytes(), 4, []uint64{0, 1 << 31, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffff_ffff, 1})
	case arrow.FLOAT64:
		specials(rng, b[1].Bytes(), 8, []uint64{0, 1 << 63, math.Float64bits(math.Inf(1)),
			math.Float64bits(math.Inf(-1)), math.Float64bits(math.NaN()), math.MaxUint64, 1, 1<<63 | 1})
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		sprinkle(rng, b[2].Bytes())
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		for view := b[1].Bytes(); len(view) >= 16; view = view[16:] {
			if n := binary.LittleEndian.Uint32(view); n <= 12 {
				sprinkle(rng, view[4:4+n])
			}
		}
	}
}

func specials(rng *rand.Rand, values []byte, width int, words []uint64) {
	for ; len(values) >= width; values = values[width:] {
		if rng.IntN(2) == 0 {
			word := binary.LittleEndian.AppendUint64(nil, words[rng.IntN(len(words))])
			copy(values, word[:width])
		}
	}
}

func sprinkle(rng *rand.Rand, text []byte) {
	for i := range text {
		if rng.IntN(3) == 0 {
			text[i] = []byte{0, 0, 1, 1, 2, 0xfe, 0xff}[rng.IntN(7)]
		}
	}
}

// text returns row i of an array, written so that it is equal after encoding and decoding.
func text(arr arrow.Array, i int) string {
	switch a := arr.(type) {
	case *array.RunEndEncoded:
		return text(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return text(a.Storage(), i)
	case *array.Struct:
		fields := make([]string, a.NumField())
		for f := range fields {
			fields[f] = "null"
			if a.IsValid(i) {
				fields[f] = text(a.Field(f), i)
			}
		}
		all := strings.Join(fields, ",")
		if strings.Trim(all, "nul,{}") == "" {
			return "null"
		}
		return "{" + all + "}"
	}
	switch a := arr.(type) {
	case *array.SparseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), text(a.Field(a.ChildID(i)), i))
	case *array.DenseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), text(a.Field(a.ChildID(i)), int(a.ValueOffset(i))))
	}
	if arr.IsNull(i) {
		return "null"
	}
	switch a := arr.(type) {
	case array.ListLike:
		var elements []string
		from, to := a.ValueOffsets(i)
		for e := from; e < to; e++ {
			elements = append(elements, text(a.ListValues(), int(e)))
		}
		return fmt.Sprint(elements)
	case *array.Dictionary:
		return text(a.Dictionary(), a.GetValueIndex(i))
	case *array.Float16:
		return fmt.Sprint(a.Value(i).Float32() + 0)
	case *array.Float32:
		return fmt.Sprint(a.Value(i) + 0)
	case *array.Float64:
		return fmt.Sprint(a.Value(i) + 0)
	}
	return arrowtest.Value(arr, i)
}

// recordOf returns a record with columns named a, b, ..., for the caller to release.
func recordOf(columns ...arrow.Array) arrow.Record {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: c.DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

// fromJSON returns an array of a type, released with the test.
func fromJSON(t testing.TB, typ arrow.DataType, values string) arrow.Array {
	a := arrowtest.FromJSON(t, typ, values)
	t.Cleanup(a.Release)
	return a
}

func requireOrder(t testing.TB, want, i, j int, x, y []byte, context string) {
	if got := bytes.Compare(x, y); got != want {
		require.Failf(t, "wrong order", "%s: rows %d and %d compare as %d, their bytes as %d\n% x\n% x",
			context, i, j, want, got, x, y)
	}
}

// newConverter is rows.NewConverter without an error.
func newConverter(t testing.TB, fields ...rows.Field) *rows.Converter {
	t.Helper()
	converter, err := rows.NewConverter(fields...)
	require.NoError(t, err)
	return converter
}
