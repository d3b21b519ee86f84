package allocators

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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

func TestLimiterPanicsAboveItsLimit(t *testing.T) {
	mem := arrowtest.Checked(t)
	l := NewLimiter(mem, 1000, errkind.ErrLimit)
	a := l.Allocate(600)
	require.ErrorIs(t, errkind.Contain(func() error { l.Allocate(401); return nil }), errkind.ErrLimit)
	require.ErrorIs(t, errkind.Contain(func() error { l.Allocate(1 << 60); return nil }), errkind.ErrLimit)
	b := l.Allocate(400)
	l.Free(a)
	b = l.Reallocate(900, b)
	require.ErrorIs(t, errkind.Contain(func() error { l.Reallocate(1001, b); return nil }), errkind.ErrLimit)
	l.Free(b)
	require.Zero(t, l.used.Load())
}

// TestSmallBlocksNeedNoFree, and the others are those of the allocator; contents stay where the size changes.
func TestSmallBlocksNeedNoFree(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	small := Small{mem}
	for _, from := range []int{0, 1, 64, 65, 1000} {
		for _, to := range []int{0, 1, 64, 65, 1000} {
			b := small.Allocate(from)
			require.Len(t, b, from)
			if from > 0 {
				b[0] = 7
			}
			b = small.Reallocate(to, b)
			require.Len(t, b, to)
			if from > 0 && to > 0 {
				require.Equal(t, byte(7), b[0])
			}
			require.Equal(t, to > 64, mem.CurrentAlloc() > 0)
			small.Free(b)
			mem.AssertSize(t, 0)
		}
	}
}
