package validate

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestSoundArraysOfEveryTypeAreValid(t *testing.T) {
	for i, typ := range arrowtest.Types() {
		for _, n := range []int{0, 1, 50} {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			require.NoError(t, Array(arrowtest.RandomSlice(rng, typ, n, 3, 0.3, memory.DefaultAllocator)), "%s", typ)
		}
	}
}

// TestBrokenArraysAreCorrupt overwrites the last word of a buffer, or cuts a buffer.
func TestBrokenArraysAreCorrupt(t *testing.T) {
	i32, text := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	field := arrow.Field{Name: "f", Type: i32}
	for _, c := range []struct {
		typ    arrow.DataType
		values string
		buffer int
		word   uint32
	}{
		{text, `["a", "b"]`, 1, 3},
		{text, `["a", "b"]`, 1, 0},
		{arrow.ListOf(i32), `[[1], [2, 3]]`, 1, 4},
		{arrow.ListOf(i32), `[[1], [2, 3]]`, 1, 1 << 31},
		{arrow.BinaryTypes.StringView, `["a", "longer than twelve bytes"]`, 1, 1},
		{&arrow.DictionaryType{IndexType: i32, ValueType: text}, `["x", "y"]`, 1, 2},
		{arrow.RunEndEncodedOf(i32, text), `["x", "x", "y"]`, 1, 2},
		{arrow.RunEndEncodedOf(i32, text), `["x", "x", "y"]`, 1, 1 << 31},
		{arrow.DenseUnionOf([]arrow.Field{field}, []int8{0}), `[[0, 1], [0, 2]]`, 2, 2},
	} {
		a := arrowtest.FromJSON(t, c.typ, c.values)
		require.NoError(t, Array(a), "%s", c.typ)
		d := a.Data()
		if d.DataType().ID() == arrow.RUN_END_ENCODED {
			d = d.Children()[0]
		}
		b := d.Buffers()[c.buffer].Bytes()
		binary.LittleEndian.PutUint32(b[len(b)-4:], c.word)
		require.ErrorIs(t, Array(a), errkind.ErrCorrupt, "%s: %d", c.typ, c.word)
	}
	requireIndexChecked(t, arrow.PrimitiveTypes.Int8, true)
	requireIndexChecked(t, arrow.PrimitiveTypes.Uint8, false)
	short := memory.NewBufferBytes(make([]byte, 7))
	for _, typ := range []arrow.DataType{i32, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 4}} {
		d := array.NewData(typ, 2, []*memory.Buffer{nil, short, short}, nil, 0, 0)
		require.ErrorIs(t, checkData(d), errkind.ErrCorrupt, "%s", typ)
	}
}

// TestBrokenViewsAreCorrupt overwrites a byte of the views of a valid row, at the top, in lists and in dictionaries;
// that of a null row may be anything.
func TestBrokenViewsAreCorrupt(t *testing.T) {
	const size, prefix, padding, buffer, offset = 0, 4, 7, 8, 12
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView} {
		index := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: typ}
		for _, at := range []struct {
			row, byte int
			want      string
		}{
			{0, size + 3, "a view is -2147483645 bytes long, in row 0"},
			{0, padding, "a view of 3 bytes is not followed by zeros, in row 0"},
			{1, prefix + 3, `a view has the prefix "long", its value begins with "lon\xe7", in row 1`},
			{1, size + 1, "passes its data, in row 1"},
			{1, buffer, "passes its data, in row 1"},
			{1, offset + 3, "passes its data, in row 1"},
			{2, prefix, ""},
		} {
			text := `["abc", "longer than twelve bytes", null]`
			if typ.ID() == arrow.BINARY_VIEW {
				text = `["YWJj", "bG9uZ2VyIHRoYW4gdHdlbHZlIGJ5dGVz", null]`
			}
			a := arrowtest.FromJSON(t, typ, text)
			if at.row == 1 && at.byte == prefix+3 { // its data have another prefix
				a.Data().Buffers()[2].Bytes()[3] ^= 0x80
			} else {
				a.Data().Buffers()[1].Bytes()[at.row*arrow.ViewHeaderSizeBytes+at.byte] ^= 0x80
			}
			list := array.NewData(arrow.ListOf(typ), 1, []*memory.Buffer{nil,
				memory.NewBufferBytes([]byte{0, 0, 0, 0, 3, 0, 0, 0})}, []arrow.ArrayData{a.Data()}, 0, 0)
			indices := []*memory.Buffer{nil, memory.NewBufferBytes([]byte{0, 1, 2})}
			coded := array.NewDataWithDictionary(index, 3, indices, 0, 0, a.Data().(*array.Data))
			for _, d := range []arrow.ArrayData{a.Data(), list, coded} {
				if err := checkData(d); at.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, errkind.ErrCorrupt)
					require.ErrorContains(t, err, at.want)
				}
			}
		}
	}
}

// requireIndexChecked checks the index of 255 in a dictionary of 300 entries, which is -1 if it is signed.
func requireIndexChecked(t *testing.T, index arrow.DataType, negative bool) {
	typ := &arrow.DictionaryType{IndexType: index, ValueType: arrow.FixedWidthTypes.Boolean}
	column := func(b ...byte) []*memory.Buffer { return []*memory.Buffer{nil, memory.NewBufferBytes(b)} }
	entries := array.NewData(typ.ValueType, 300, column(make([]byte, 38)...), nil, 0, 0)
	d := array.NewDataWithDictionary(typ, 2, column(1, 255), 0, 0, entries)
	if negative {
		require.ErrorContains(t, checkData(d), "refers to entry -1 of 300")
	} else {
		require.NoError(t, checkData(d))
	}
}
