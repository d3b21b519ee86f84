package tablefile

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestRecyclerGivesBlocksAgain(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := newRecycler(mem)
	defer r.release()
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
	require.NotSame(t, &c[0], &d[0], "a block that is in use was given again")
	small := r.Allocate(10)
	require.Len(t, r.Reallocate(5, small), 5)
	r.Free(small)
	r.Free(d)
	r.Free(c)
	r.Free(b)
	e := r.Allocate(5000)
	require.NotSame(t, first, &e[0], "a small block wastes a large one")
	r.Free(e)
	r.Free(nil)
}
