package adapter

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestChunksStartAtAMultipleOf8 reads a slice deep in its buffers.
func TestChunksStartAtAMultipleOf8(t *testing.T) {
	values := make([]int16, 100)
	for i := range values {
		values[i] = int16(i)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int16Traits.CastToBytes(values))}
	typ := arrow.PrimitiveTypes.Int16
	w := NewWork(&Input{}, Options{Allocator: memory.DefaultAllocator})
	l, _ := layoutOf(typ)
	for first := range 64 {
		c, err := w.chunk(l, newView(array.NewData(typ, 20, buffers, nil, 0, first), 20))
		require.NoError(t, err)
		require.Less(t, c.Offset, 8)
		got := arrow.Int16Traits.CastFromBytes(c.Values)[c.Offset:]
		require.Equal(t, values[first:first+20], got[:20])
	}
	require.Empty(t, w.temp)
}

// TestMissingAndShortBuffers reads zeros where there is no buffer, and refuses one that is too short.
func TestMissingAndShortBuffers(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	w := NewWork(&Input{}, Options{Allocator: mem})
	defer w.Release()
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String,
		arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, &arrow.Decimal256Type{Precision: 40}} {
		l, _ := layoutOf(typ)
		c, err := w.chunk(l, newView(array.NewData(typ, 9, []*memory.Buffer{nil, nil, nil}, nil, 0, 3), 9))
		require.NoError(t, err)
		for _, b := range c.Values {
			require.Zero(t, b)
		}
		require.NotEmpty(t, c.Values)

		short := memory.NewBufferBytes([]byte{1})
		_, err = w.chunk(l, newView(array.NewData(typ, 9, []*memory.Buffer{nil, short, nil}, nil, 0, 3), 9))
		require.ErrorIs(t, err, arrow.ErrInvalid)
		require.ErrorContains(t, err, typ.String())
	}
}
