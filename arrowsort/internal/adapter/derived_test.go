package adapter

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
)

// derivedValues returns the values of a function of an array.
func derivedValues(ctx context.Context, t *testing.T, a arrow.Array, of keyfunction.Function) (Values, error) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	var in Input
	require.NoError(t, in.Open(a))
	r := &RawColumns{}
	r.Start(ctx, Options{Allocator: mem, Threads: 2})
	t.Cleanup(func() {
		r.Release()
		mem.AssertSize(t, 0)
	})
	return r.Values(&in, Leaf{Path: []int{0}, Type: a.DataType(), Function: of})
}

// TestFunctionsOfWrongArrays: offsets that an array lacks, and a decimal that is none, are errors, but not under a
// null.
func TestFunctionsOfWrongArrays(t *testing.T) {
	values := array.NewData(arrow.PrimitiveTypes.Int8, 3, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 3))},
		nil, 0, 0)
	for _, typ := range []arrow.DataType{arrow.ListOf(arrow.PrimitiveTypes.Int8),
		arrow.LargeListOf(arrow.PrimitiveTypes.Int8), arrow.ListViewOf(arrow.PrimitiveTypes.Int8)} {
		short := memory.NewBufferBytes(make([]byte, 4))
		lists := cutShort{array.NewData(typ, 3, []*memory.Buffer{nil, short, short}, []arrow.ArrayData{values}, 0, 0)}
		r := RawColumns{ctx: t.Context(), mem: memory.NewGoAllocator(), threads: 1}
		_, err := r.derived(typ, []arraySlice{newSlice(lists, 3)}, derivation{Function: keyfunction.Length})
		require.ErrorIs(t, err, arrow.ErrInvalid, typ)
	}
	least := make([]byte, 64) // 0, and -2^255
	binary.LittleEndian.PutUint64(least[56:], 1<<63)
	typ := &arrow.Decimal256Type{Precision: 76}
	for valid, wrong := range map[byte]bool{0b11: true, 0b01: false} {
		buffers := []*memory.Buffer{memory.NewBufferBytes([]byte{valid}), memory.NewBufferBytes(least)}
		data := array.NewData(typ, 2, buffers, nil, array.UnknownNullCount, 0)
		_, err := derivedValues(t.Context(), t, array.NewDecimal256Data(data), keyfunction.Abs)
		require.Equal(t, wrong, err != nil)
		if wrong {
			require.ErrorIs(t, err, arrow.ErrInvalid)
			require.ErrorContains(t, err, "row 1 of the chunk is -2^255")
		}
	}
}

// cutShort is data that no constructor has looked at.
type cutShort struct{ arrow.ArrayData }

// TestFunctionsEnd with the context.
func TestFunctionsEnd(t *testing.T) {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.AppendValues([]string{"a", "b"}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, of := range []keyfunction.Function{keyfunction.Lower, keyfunction.Length, keyfunction.Hash(1)} {
		a := b.NewArray()
		_, err := derivedValues(ctx, t, a, of)
		require.ErrorIs(t, err, context.Canceled)
		b.AppendValues([]string{"a", "b"}, nil)
	}
}
