package gomemory

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestAllocate(t *testing.T) {
	mem := Default()
	for _, size := range []int{0, 1, 63, 64, least - 1, least, least + 1, 5<<20 + 7} {
		b := mem.Allocate(size)
		require.Len(t, b, size)
		require.Equal(t, size, cap(b))
		require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment, "%d bytes are not aligned", size)
		for i := range b {
			b[i] = byte(i)
		}
		grown := mem.Reallocate(size+least, b)
		require.Len(t, grown, size+least)
		require.Equal(t, b, grown[:size])
		require.Equal(t, b, mem.Reallocate(size, grown))
		mem.Free(grown)
	}
}

// TestBuffersLive writes to buffers while garbage is collected: they are memory of their own, and stay.
func TestBuffersLive(t *testing.T) {
	mem := Default()
	kept := make([][]byte, 8)
	for round := range 10 * len(kept) {
		b := mem.Allocate(least + round)
		copy(b, bytes.Repeat([]byte{byte(round)}, len(b)))
		kept[round%len(kept)] = b
		if round%5 == 0 {
			runtime.GC()
		}
	}
	for i, b := range kept {
		require.True(t, bytes.Equal(bytes.Repeat([]byte{byte(9*len(kept) + i)}, len(b)), b), "buffer %d", i)
	}
}

// TestDefault keeps what a program has made its default allocator.
func TestDefault(t *testing.T) {
	defer func(mem memory.Allocator) { memory.DefaultAllocator = mem }(memory.DefaultAllocator)
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	memory.DefaultAllocator = checked
	require.Same(t, checked, Default())
}
