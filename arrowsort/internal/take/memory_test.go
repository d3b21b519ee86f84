package take

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// A failing allocator works left times and then returns nothing, or panics.
type failing struct {
	memory.Allocator
	left   int
	panics bool
}

func (f *failing) Allocate(size int) []byte {
	if f.left--; f.left >= 0 {
		return f.Allocator.Allocate(size)
	}
	if f.panics {
		panic("no memory")
	}
	return nil
}

func TestFailingAllocatorIsAnErrorAndLeavesNothing(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		for _, panics := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(1, 1))
			chunks := randomColumn(rng, typ, layout{[]int{50, 30}, []int{3, 0}}, 0.2, memory.NewGoAllocator())
			rows := rowPatterns(rng, 80)["random"]
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			for left := 0; ; left++ {
				got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: &failing{mem, left, panics}})
				if err == nil {
					requireTaken(t, typ, chunks, rows, got, typ.String())
					releaseAll(got)
					require.True(t, left > 0 || typ.ID() == arrow.NULL, "%s: nothing was allocated", typ)
					break
				}
				require.ErrorIs(t, err, engine.ErrMemory, "%s", typ)
				require.Less(t, left, 100, "%s", typ)
				mem.AssertSize(t, 0)
			}
			releaseAll(chunks)
			mem.AssertSize(t, 0)
		}
	}
}

// short is an allocator that returns too little.
type short struct{ memory.Allocator }

func (s short) Allocate(size int) []byte { return s.Allocator.Allocate(size / 2) }

func TestShortAllocationIsAnError(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	arr := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), arrow.PrimitiveTypes.Int64, 100, 0, memory.NewGoAllocator())
	defer arr.Release()
	_, err := Take(t.Context(), arr.DataType(), []arrow.Array{arr}, make([]uint32, 100), Options{Allocator: short{mem}})
	require.ErrorIs(t, err, engine.ErrMemory)
	mem.AssertSize(t, 0)
}

// Unused bytes of a buffer are zero, so that results are the same byte for byte whatever the allocator hands out.
type dirty struct{ memory.Allocator }

func (d dirty) Allocate(size int) []byte {
	b := d.Allocator.Allocate(size)
	for i := range b {
		b[i] = 0xAA
	}
	return b
}

func TestDirtyMemoryDoesNotShow(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		rng := rand.New(rand.NewPCG(4, 4))
		chunks := randomColumn(rng, typ, layout{[]int{50, 30}, []int{3, 0}}, 0.2, memory.NewGoAllocator())
		rows := rowPatterns(rng, 80)["random"]
		got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: dirty{memory.NewGoAllocator()}})
		require.NoError(t, err, "%s", typ)
		requireTaken(t, typ, chunks, rows, got, typ.String())
		if v := got[0].Data().Buffers(); len(v) > 0 && v[0] != nil {
			for i := got[0].Len(); i < 8*len(v[0].Buf()); i++ {
				require.Zero(t, v[0].Buf()[i/8]>>(i%8)&1, "%s: bit %d after %d rows", typ, i, got[0].Len())
			}
		}
		releaseAll(got)
		releaseAll(chunks)
	}
}
