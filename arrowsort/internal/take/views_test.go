package take

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestViewsReferToEachBufferOnce(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var wholes []arrow.Array
	for w := range 2 {
		b := array.NewStringViewBuilder(mem)
		for i := range 6 {
			b.Append(fmt.Sprintf("array %d, row %d, more than twelve bytes", w, i))
		}
		wholes = append(wholes, b.NewArray())
		b.Release()
	}
	defer releaseAll(wholes)
	chunks := []arrow.Array{
		array.NewSlice(wholes[0], 0, 3), array.NewSlice(wholes[1], 2, 4), array.NewSlice(wholes[0], 3, 6),
	}
	defer releaseAll(chunks)
	got, err := Take(t.Context(), arrow.BinaryTypes.StringView, chunks, []uint32{7, 3, 0}, Options{Allocator: mem})
	require.NoError(t, err)
	defer releaseAll(got)
	v := got[0].(*array.StringView)
	require.Equal(t, "array 0, row 5, more than twelve bytes", v.Value(0))
	require.Equal(t, "array 1, row 2, more than twelve bytes", v.Value(1))
	require.Equal(t, "array 0, row 0, more than twelve bytes", v.Value(2))
	data := v.Data().Buffers()[2:]
	require.Len(t, data, len(wholes[0].Data().Buffers()[2:])+len(wholes[1].Data().Buffers()[2:]))
	require.Same(t, wholes[0].Data().Buffers()[2], data[0])
}
