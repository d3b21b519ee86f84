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
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
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
		require.ErrorIs(t, Array(a), fileerror.ErrCorrupt, "%s: %d", c.typ, c.word)
	}
	requireIndexChecked(t, arrow.PrimitiveTypes.Int8, true)
	requireIndexChecked(t, arrow.PrimitiveTypes.Uint8, false)
	short := memory.NewBufferBytes(make([]byte, 7))
	for _, typ := range []arrow.DataType{i32, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 4}} {
		d := array.NewData(typ, 2, []*memory.Buffer{nil, short, short}, nil, 0, 0)
		require.ErrorIs(t, checkData(d), fileerror.ErrCorrupt, "%s", typ)
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
