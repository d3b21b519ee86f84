package arrowsort_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// counting counts the blocks of an allocator that are worth keeping.
type counting struct {
	*memory.CheckedAllocator
	blocks int
}

func (c *counting) Allocate(size int) []byte {
	if size >= 1<<12 {
		c.blocks++
	}
	return c.CheckedAllocator.Allocate(size)
}

// TestRecycler sorts the same rows again and again: from the second time on no block is new, results are those of any
// allocator, and all memory is free at the end.
func TestRecycler(t *testing.T) {
	mem := &counting{CheckedAllocator: memory.NewCheckedAllocator(memory.DefaultAllocator)}
	defer mem.AssertSize(t, 0)
	recycler := arrowsort.NewRecycler(mem, 0)
	defer recycler.Release()
	r, b := rand.New(rand.NewPCG(1, 2)), array.NewInt64Builder(memory.DefaultAllocator)
	for range 100_000 {
		b.Append(r.Int64())
	}
	numbers := b.NewArray()
	rec := record(t, []string{"key", "same"}, numbers, numbers)
	keys := []arrowsort.Key{{Path: "key"}}
	want, err := arrowsort.Sort(t.Context(), rec, keys, arrowsort.Options{})
	require.NoError(t, err)
	first := 0
	for range 3 {
		sorted, err := arrowsort.Sort(t.Context(), rec, keys, arrowsort.Options{Allocator: recycler})
		require.NoError(t, err)
		require.True(t, array.RecordEqual(want, sorted))
		sorted.Release()
		if first == 0 {
			first = mem.blocks
		}
	}
	require.Positive(t, first)
	require.Equal(t, first, mem.blocks, "blocks of all sorts, and of the first")
}

// TestRecyclerHasALimit: more is not kept.
func TestRecyclerHasALimit(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	recycler := arrowsort.NewRecycler(mem, 1<<20)
	for range 10 {
		recycler.Free(recycler.Allocate(1 << 18))
		recycler.Free(recycler.Allocate(1 << 19))
		require.LessOrEqual(t, mem.CurrentAlloc(), 1<<20)
	}
	require.NotZero(t, mem.CurrentAlloc())
	held := recycler.Allocate(1 << 18)
	recycler.Release()
	recycler.Free(held)
	mem.AssertSize(t, 0)
}
