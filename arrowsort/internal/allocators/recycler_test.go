package allocators

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestRecyclerGivesBlocksAgain(t *testing.T) {
	mem := arrowtest.Checked(t)
	r := NewRecycler(mem, 0)
	defer r.Release()
	a := r.Allocate(10_000)
	require.Len(t, a, 10_000)
	first := &a[0]
	r.Free(a[:5000])
	b := r.Allocate(11_000) // there is room for a little more
	require.Same(t, first, &b[0])
	require.Len(t, b, 11_000)
	b[10_999] = 7
	b = r.Reallocate(100_000, b)
	require.Equal(t, byte(7), b[10_999])
	c := r.Allocate(10_500)
	require.Same(t, first, &c[0])
	d := r.Allocate(10_500)
	require.NotSame(t, &c[0], &d[0], "a block that is in use was returned again")
	small := r.Allocate(10)
	small = r.Reallocate(5, small)
	require.Len(t, small, 5)
	r.Free(small)
	r.Free(d)
	r.Free(c)
	r.Free(b)
	e := r.Allocate(5000)
	require.NotSame(t, first, &e[0], "a small block wastes a large one")
	r.Free(e)
	r.Free(nil)
}

func TestRecyclerKeepsSoMuch(t *testing.T) {
	mem := arrowtest.Checked(t)
	r := NewRecycler(mem, 40_000)
	var blocks [][]byte
	for range 3 {
		blocks = append(blocks, r.Allocate(10_000)) // with room for a little more
	}
	for _, b := range blocks {
		r.Free(b)
	}
	require.Len(t, r.spare, 3)
	late := r.Allocate(15_000)
	require.Len(t, r.spare, 2, "the oldest is freed for a block that is in use")
	require.Same(t, &blocks[1][0], &r.spare[0][0])
	large := r.Allocate(50_000)
	require.Empty(t, r.spare)
	r.Free(large)
	require.Empty(t, r.spare, "more than it keeps")
	r.Release()
	require.Empty(t, r.spare)
	r.Free(late) // as it is from now on
	require.Empty(t, r.spare)
}

func TestAnAllocationThatFailsCostsNoSpareBlocks(t *testing.T) {
	mem := NewLimiter(memory.NewGoAllocator(), 100_000, errkind.ErrLimit)
	r := NewRecycler(mem, 200_000)
	defer r.Release()
	a := r.Allocate(10_000)
	r.Free(a)
	require.Panics(t, func() { r.Allocate(150_000) })
	b := r.Allocate(10_000)
	require.Same(t, &a[0], &b[0])
	r.Free(b)
	require.Len(t, r.spare, 1)
}
