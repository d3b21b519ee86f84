package adapter

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestChunksStartAtAMultipleOf8 reads a slice deep in its buffers.
func TestChunksStartAtAMultipleOf8(t *testing.T) {
	values := make([]int16, 100)
	for i := range values {
		values[i] = int16(i)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int16Traits.CastToBytes(values))}
	typ := arrow.PrimitiveTypes.Int16
	w := newWork(&Input{}, Options{Allocator: memory.DefaultAllocator})
	l, _ := layoutOf(typ)
	for first := range 64 {
		c, err := w.raw.chunk(l, newSlice(array.NewData(typ, 20, buffers, nil, 0, first), 20))
		require.NoError(t, err)
		require.Less(t, c.Offset, 8)
		got := arrow.Int16Traits.CastFromBytes(c.Values)[c.Offset:]
		require.Equal(t, values[first:first+20], got[:20])
	}
	require.Empty(t, w.raw.temp)
}

// TestMissingAndShortBuffers reads zeros where there is no buffer, and refuses one that is too short.
func TestMissingAndShortBuffers(t *testing.T) {
	mem := arrowtest.Checked(t)
	w := newWork(&Input{}, Options{Allocator: mem})
	defer w.Release()
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64,
		arrow.BinaryTypes.String,
		arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, &arrow.Decimal256Type{Precision: 40}} {
		l, _ := layoutOf(typ)
		c, err := w.raw.chunk(l, newSlice(array.NewData(typ, 9, []*memory.Buffer{nil, nil, nil}, nil, 0, 3), 9))
		require.NoError(t, err)
		for _, b := range c.Values {
			require.Zero(t, b)
		}
		require.NotEmpty(t, c.Values)

		short := memory.NewBufferBytes([]byte{1})
		_, err = w.raw.chunk(l, newSlice(array.NewData(typ, 9, []*memory.Buffer{nil, short, nil}, nil, 0, 3), 9))
		require.ErrorIs(t, err, arrow.ErrInvalid)
		require.ErrorContains(t, err, typ.String())
	}
}

// TestMalformedArrays have offsets, views, indices, runs or bitmaps that lead out of their buffers.
func TestMalformedArrays(t *testing.T) {
	bytes := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v)) }
	text := array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, int32s(0, 1), bytes('a')}, nil, 0, 0)
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	ends := array.NewData(arrow.PrimitiveTypes.Int32, 1, []*memory.Buffer{nil, int32s(2)}, nil, 0, 0)
	for _, data := range []*array.Data{
		array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, int32s(0, 9, -5, 2), bytes('a', 'b')}, nil, 0,
			0),
		array.NewData(arrow.BinaryTypes.StringView, 1, []*memory.Buffer{nil, int32s(50, 0, 7, 0)}, nil, 0, 0),
		array.NewDataWithDictionary(dict, 2, []*memory.Buffer{nil, bytes(0, 1)}, 0, 0, text),
		array.NewDataWithDictionary(dict, 2, []*memory.Buffer{nil, bytes(0, 0xff)}, 0, 0, text),
		array.NewData(arrow.PrimitiveTypes.Int8, 9, []*memory.Buffer{bytes(1), bytes(1, 2, 3, 4, 5, 6, 7, 8, 9)}, nil,
			array.UnknownNullCount, 0),
		array.NewData(arrow.RunEndEncodedOf(ends.DataType(), text.DataType()), 3, []*memory.Buffer{nil},
			[]arrow.ArrayData{ends, text}, 0, 0),
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		a := array.MakeFromData(data)
		w := newWork(&Input{Rows: a.Len(), Columns: []Column{{Type: a.DataType(), Chunks: []arrow.Array{a}}}},
			Options{Allocator: mem, Ranker: cpu.New()})
		err := w.AddKey(Leaf{Path: []int{0}, Name: "x", Type: a.DataType()}, keyencode.Ascending, keyencode.NullsAtEnd)
		require.Error(t, err, "%s", a.DataType())
		require.True(t, errors.Is(err, arrow.ErrInvalid) || errors.Is(err, arrow.ErrIndex), "%s: %v", a.DataType(), err)
		w.Release()
		mem.AssertSize(t, 0)
	}
}

func randomBits(rng *rand.Rand, n int) []byte {
	b := make([]byte, (n+7)/8)
	for i := range b {
		b[i] = byte(rng.Uint32() | rng.Uint32())
	}
	return b
}

// TestValidityMerges compares merged bitmaps of one to three levels with their bits.
func TestValidityMerges(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		w := newWork(&Input{}, Options{Allocator: mem})
		rows, offset := 1+rng.IntN(200), rng.IntN(8)
		v := arraySlice{rows: rows}
		for range 1 + rng.IntN(3) {
			first := rng.IntN(130)
			v.masks = append(v.masks, mask{randomBits(rng, first+rows), first})
		}
		bits, err := w.raw.validity(v, offset)
		require.NoError(t, err)
		for i := range rows {
			want := true
			for _, m := range v.masks {
				want = want && bitutil.BitIsSet(m.bits, m.first+i)
			}
			require.Equal(t, want, bitutil.BitIsSet(bits, offset+i), "seed %d, row %d of %d", seed, i, rows)
		}
		w.Release()
		mem.AssertSize(t, 0)
	}
}

func TestValidityIsBorrowed(t *testing.T) {
	w := newWork(&Input{}, Options{Allocator: memory.NewCheckedAllocator(memory.NewGoAllocator())})
	bits, err := w.raw.validity(arraySlice{rows: 9}, 3)
	require.NoError(t, err)
	require.Nil(t, bits)
	own := []byte{1, 2, 3, 4}
	bits, err = w.raw.validity(arraySlice{rows: 9, masks: []mask{{own, 11}}}, 3)
	require.NoError(t, err)
	require.Same(t, &own[1], &bits[0])
	require.Empty(t, w.raw.temp)
}

// TestViewsFollowOffsets walks into a slice of a struct whose child is a slice too.
func TestViewsFollowOffsets(t *testing.T) {
	values := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	child := array.NewData(arrow.PrimitiveTypes.Int32, 8, []*memory.Buffer{nil, values}, nil, 0, 2)
	typ := arrow.StructOf(arrow.Field{Name: "x", Type: child.DataType()})
	parent := array.NewData(
		typ, 4, []*memory.Buffer{memory.NewBufferBytes([]byte{0b1010_1010})}, []arrow.ArrayData{child}, 2, 3,
	)
	a := array.MakeFromData(parent)
	empty := array.NewSlice(a, 2, 2)
	in := Input{Rows: 6, Columns: []Column{{Type: typ, Chunks: []arrow.Array{a, empty, a, a}}}}
	parts := in.parts([]int{0, 0}, nil)
	require.Len(t, parts, 2)
	require.Equal(t, []int{4, 2}, []int{parts[0].rows, parts[1].rows})
	require.Equal(t, 5, parts[0].first)
	require.Equal(t, 3, parts[0].masks[0].first)
	w := newWork(&in, Options{Allocator: memory.DefaultAllocator})
	l, _ := layoutOf(child.DataType())
	c, err := w.raw.column(l, parts)
	require.NoError(t, err)
	require.Equal(t, int32(5), arrow.Int32Traits.CastFromBytes(c.Chunks[0].Values)[c.Chunks[0].Offset])
}
