package arraydata

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestBytesOfSlicesOfFixedLists(t *testing.T) {
	b := array.NewFixedSizeListBuilder(memory.DefaultAllocator, 3, arrow.PrimitiveTypes.Int64)
	defer b.Release()
	const rows = 1 << 10
	for i := range rows {
		b.Append(true)
		b.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{int64(i), 1, 2}, nil)
	}
	a := b.NewArray()
	defer a.Release()
	part := array.NewSlice(a, 100, 116)
	defer part.Release()
	require.EqualValues(t, 16*3*8, ArrayBytes(part.Data(), part.Data().Offset(), part.Len()))
	require.EqualValues(t, rows*3*8, ArrayBytes(a.Data(), 0, rows))
}
