package ipc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/endian"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// wordsOf are the sizes of the words of the buffers of a type in a message, in their order; a size of 1 is that of
// bytes and bits. Words of months, days and nanoseconds are 4, 4 and 8 bytes long.
func wordsOf(typ arrow.DataType) (words [][]int) {
	one := []int{1}
	switch t := typ.(type) {
	case *arrow.NullType:
		return nil
	case arrow.ExtensionType:
		return wordsOf(t.StorageType())
	case *arrow.DictionaryType:
		return wordsOf(t.IndexType)
	case *arrow.StringType, *arrow.BinaryType:
		return [][]int{one, {4}, one}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return [][]int{one, {8}, one}
	case *arrow.MonthDayNanoIntervalType:
		return [][]int{one, {4, 4, 8}}
	case *arrow.DayTimeIntervalType:
		return [][]int{one, {4}}
	case *arrow.ListType, *arrow.MapType:
		words = [][]int{one, {4}}
	case *arrow.LargeListType:
		words = [][]int{one, {8}}
	case *arrow.SparseUnionType:
		words = [][]int{one}
	case *arrow.DenseUnionType:
		words = [][]int{one, {4}}
	case *arrow.FixedSizeBinaryType, *arrow.BooleanType:
		return [][]int{one, one}
	case *arrow.StructType, *arrow.FixedSizeListType:
		words = [][]int{one}
	case arrow.FixedWidthDataType:
		return [][]int{one, {t.Bytes()}}
	}
	for _, f := range typ.(arrow.NestedType).Fields() {
		words = append(words, wordsOf(f.Type)...)
	}
	return words
}

// swapWords reverses the bytes of each word of a buffer.
func swapWords(b []byte, words []int) {
	for i := 0; len(b) >= words[i%len(words)]; i++ {
		n := words[i%len(words)]
		slices.Reverse(b[:n])
		b = b[n:]
	}
}

// bigEndian is a column as a stream in big-endian byte order: one of this machine's, after a schema that declares that
// order, with the words of all messages reversed.
func bigEndian(t *testing.T, typ arrow.DataType, rows ...arrow.Array) []byte {
	fields := []arrow.Field{{Name: "column", Type: typ, Nullable: true}}
	chunks := arrow.NewChunked(typ, rows)
	table := array.NewTable(arrow.NewSchema(fields, nil), []arrow.Column{*arrow.NewColumn(fields[0], chunks)}, -1)
	native := written(t, table, Options{})
	stream := slices.Concat(declaration(t, fields), native[8+binary.LittleEndian.Uint32(native[4:]):])
	for at := 0; ; {
		n := int(binary.LittleEndian.Uint32(stream[at+4:]))
		if at += 8; n == 0 {
			return stream
		}
		meta := stream[at : at+n]
		size, err := checkMessage(meta)
		require.NoError(t, err)
		body := stream[at+n : at+n+int(size)]
		at += n + int(size)
		c := newFlatChecker(meta)
		table, words := c.data(), wordsOf(typ)
		if table == 0 {
			continue
		}
		if c.byte(c.root(), messageHeaderType) == headerDictionary {
			words = wordsOf(typ.(*arrow.DictionaryType).ValueType)
		}
		buffers, err := c.buffers(table)
		require.NoError(t, err)
		require.Len(t, buffers, len(words), "%s", typ)
		for i, buffer := range buffers {
			swapWords(body[buffer.offset:buffer.offset+buffer.length], words[i])
		}
	}
}

// declaration is the schema message of a stream in big-endian byte order.
func declaration(t *testing.T, fields []arrow.Field) []byte {
	var b bytes.Buffer
	w := arrowipc.NewWriter(&b, arrowipc.WithSchema(arrow.NewSchemaWithEndian(fields, nil, endian.BigEndian)))
	require.NoError(t, w.Close())
	return bytes.TrimSuffix(b.Bytes(), endMarker)
}

func hasFragile(typ arrow.DataType) bool {
	id := typ.ID()
	return arrow.IsDecimal(id) || id == arrow.INTERVAL_MONTHS || id == arrow.INTERVAL_DAY_TIME ||
		id == arrow.INTERVAL_MONTH_DAY_NANO || anyField(typ, hasFragile)
}

// TestBigEndianStreams: values are those that were written, in the byte order of this machine, and are written in it.
// Types that Arrow does not swap are errors that name the column.
func TestBigEndianStreams(t *testing.T) {
	index := func(typ arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: typ}
	}
	str, i32, field := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32, arrow.Field{Name: "f", Nullable: true}
	of := func(typ arrow.DataType) arrow.Field { f := field; f.Type = typ; return f }
	types := append(arrowtest.Flat(), index(str), index(arrow.PrimitiveTypes.Float64), arrow.ListOf(str),
		arrow.LargeListOf(i32), arrow.MapOf(str, i32), arrow.StructOf(of(str), of(arrow.FixedWidthTypes.Timestamp_ns)),
		arrow.FixedSizeListOf(2, i32), arrow.ListOf(arrow.StructOf(of(&arrow.Decimal256Type{Precision: 60}))),
		arrow.SparseUnionOf([]arrow.Field{of(i32), of(str)}, []arrow.UnionTypeCode{3, 5}),
		arrow.DenseUnionOf([]arrow.Field{of(i32), of(str)}, []arrow.UnionTypeCode{3, 5}))
	for i, typ := range types {
		if _, view := typ.(arrow.BinaryViewDataType); view || typ.ID() == arrow.EXTENSION {
			continue
		}
		rng := rand.New(rand.NewPCG(testrun.Seed(), uint64(i)))
		rows := []arrow.Array{arrowtest.Random(rng, typ, 60, 0.3, memory.DefaultAllocator)}
		if typ.ID() != arrow.DICTIONARY { // a table of theirs has one for all rows
			rows = append(rows, arrowtest.Random(rng, typ, 50, 0, memory.DefaultAllocator))
			empty := arrowtest.FromJSON(t, arrow.ListOf(typ), "[[]]")
			_, err := read(bigEndian(t, empty.DataType(), empty), Options{})
			if hasFragile(typ) {
				require.EqualError(t, err, "an empty array, with decimals or intervals in the schema, in big-endian "+
					"byte order is not supported")
			} else {
				require.NoError(t, err, "%s", typ)
			}
		}
		var want []string
		for _, a := range rows {
			want = append(want, arrowtest.Values(arrow.NewChunked(typ, []arrow.Array{a}))...)
		}
		table, err := read(bigEndian(t, typ, rows...), Options{})
		require.NoError(t, err, "%s", typ)
		require.Equal(t, typ.String(), table.Schema().Field(0).Type.String())
		require.Equal(t, want, arrowtest.Values(table.Column(0).Data()), "%s", typ)
		again, err := read(written(t, table, Options{File: true}), Options{File: true})
		require.NoError(t, err, "%s", typ)
		require.True(t, again.Schema().IsNativeEndian())
		require.Equal(t, want, arrowtest.Values(again.Column(0).Data()), "%s", typ)
	}
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.RunEndEncodedOf(i32, str), arrow.ListViewOf(str), arrow.LargeListViewOf(str)} {
		_, err := read(declaration(t, []arrow.Field{{Name: "column", Type: typ}}), Options{})
		require.ErrorIs(t, err, errkind.ErrUnsupported)
		require.EqualError(t, err, `column "column": type `+typ.Name()+` in big-endian byte order is not supported`)
	}
}
