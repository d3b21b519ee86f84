package allocators

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

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
