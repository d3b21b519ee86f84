package allocators

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestBlocksAreAlignedAndStay(t *testing.T) {
	mem := Unzeroed(nil)
	var blocks [][]byte
	sizes := []int{0, 1, 63, 64, large - 1, large, large + 1, 3*large + 17}
	for i, size := range sizes {
		b := mem.Allocate(size)
		require.Len(t, b, size)
		if size > 0 {
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64, size)
		}
		for k := range b {
			b[k] = byte(i)
		}
		blocks = append(blocks, b)
	}
	runtime.GC()
	mem.Allocate(5 * large)
	for i, b := range blocks {
		require.Equal(t, bytes.Repeat([]byte{byte(i)}, sizes[i]), b)
		grown := mem.Reallocate(2*sizes[i]+large, b)
		require.True(t, bytes.Equal(b, grown[:sizes[i]]))
		require.Len(t, mem.Reallocate(sizes[i], grown), sizes[i])
		mem.Free(grown)
	}
}

func TestOtherAllocatorsStayWhatTheyAre(t *testing.T) {
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	require.Same(t, checked, Unzeroed(checked))
	defer func(before memory.Allocator) { memory.DefaultAllocator = before }(memory.DefaultAllocator)
	memory.DefaultAllocator = checked
	require.Same(t, checked, Unzeroed(nil))
}

func TestZeroedClearsWhatIsNew(t *testing.T) {
	const size = 2 * leastRecycled
	mem := NewRecycler(nil, 0)
	defer mem.Release()
	used := mem.Allocate(2 * size)
	copy(used, bytes.Repeat([]byte{1}, len(used)))
	mem.Free(used)
	b := Zeroed(mem).Allocate(size + 1)
	require.Equal(t, make([]byte, size+1), b)
	copy(b, bytes.Repeat([]byte{2}, len(b)))
	b = Zeroed(mem).Reallocate(size, b)
	b = Zeroed(mem).Reallocate(2*size, b)
	require.Equal(t, append(bytes.Repeat([]byte{2}, size), make([]byte, size)...), b)
	mem.Free(b)
}
