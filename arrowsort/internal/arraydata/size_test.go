package arraydata

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
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

// TestBytesOfSlices add up to those of the whole, for every type.
func TestBytesOfSlicesOfEveryType(t *testing.T) {
	const rows, step = 512, 64
	r := rand.New(rand.NewPCG(testrun.Seed(), 2))
	for _, typ := range arrowtest.Types() {
		a := arrowtest.RandomSlice(r, typ, rows, 5, 0, memory.DefaultAllocator)
		first := a.Data().Offset()
		whole, parts := ArrayBytes(a.Data(), first, rows), int64(0)
		for row := 0; row < rows; row += step {
			parts += ArrayBytes(a.Data(), first+row, step)
		}
		require.GreaterOrEqual(t, parts, whole, typ)
		require.LessOrEqual(t, parts, whole+rows/step*8, typ) // bits are rounded up to bytes at every level
		require.Zero(t, ArrayBytes(a.Data(), first, 0))
		a.Release()
	}
}

func TestTrim(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewListBuilder(mem, arrow.BinaryTypes.String)
	defer b.Release()
	b.ValueBuilder().Reserve(1 << 16)
	for i := range 100 {
		b.Append(true)
		b.ValueBuilder().(*array.StringBuilder).Append(strings.Repeat("x", i))
	}
	a := b.NewArray()
	defer a.Release()
	before := mem.CurrentAlloc()
	trimmed := Trim(a.Data(), mem)
	defer trimmed.Release()
	require.Less(t, mem.CurrentAlloc()-before, 100*100)
	got := array.MakeFromData(trimmed)
	defer got.Release()
	require.True(t, array.Equal(a, got))
	again := Trim(trimmed, mem)
	defer again.Release()
	require.Same(t, trimmed.Children()[0].Buffers()[2], again.Children()[0].Buffers()[2], "has nothing to spare")
}
