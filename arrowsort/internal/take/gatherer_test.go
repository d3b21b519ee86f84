package take

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
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

func TestTilesCoverAllRowsOnce(t *testing.T) {
	for _, n := range []int{0, 1, tileRows - 1, tileRows, tileRows + 1, 5*tileRows + 3} {
		for _, threads := range []int{1, 3, 16} {
			g := newGatherer(t.Context(), Options{Threads: threads}, 0)
			seen := make([]int32, n)
			require.NoError(t, g.tiles(n, func(lo, hi int, block []uint64) error {
				require.Len(t, block, blockRows)
				require.Zero(t, lo%tileRows)
				for i := lo; i < hi; i++ {
					seen[i]++
				}
				return nil
			}))
			for i, times := range seen {
				require.EqualValues(t, 1, times, "row %d of %d, %d threads", i, n, threads)
			}
		}
	}
}

func TestPanicsOfTilesAreErrors(t *testing.T) {
	for _, threads := range []int{1, 4} {
		g := newGatherer(t.Context(), Options{Threads: threads}, 0)
		run := func() (err error) {
			defer arraydata.Guard(&err)
			return g.tiles(9*tileRows, func(_, _ int, _ []uint64) error { panic("index") })
		}
		require.ErrorIs(t, run(), arraydata.ErrMalformed)
	}
}

// An expiring context is cancelled when it has been asked left times.
type expiring struct {
	context.Context
	left atomic.Int64
}

func (e *expiring) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Cancelled at every point where the context is asked, on one goroutine and on several: nothing stays, memory or
// goroutine.
func TestCancellationAtEveryPoint(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		for _, n := range []int{80, 2*tileRows + 5} {
			if !testrun.Share(4, typ, n) {
				continue
			}
			rng := rand.New(rand.NewPCG(1, 1))
			chunks := randomColumn(rng, typ, layout{[]int{50, 30}, []int{3, 0}}, 0.2, memory.NewGoAllocator())
			rows := make([]uint32, n)
			for i := range rows {
				rows[i] = uint32(rng.IntN(80))
			}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			before := runtime.NumGoroutine()
			step := 1
			if n > tileRows {
				step = 5
			}
			for left := 0; ; left += step {
				ctx := &expiring{Context: t.Context()}
				ctx.left.Store(int64(left))
				got, err := Take(ctx, typ, chunks, rows, Options{Allocator: dirty{mem}, Threads: 3, Split: true})
				releaseAll(got)
				mem.AssertSize(t, 0)
				requireGoroutines(t, before)
				if err == nil {
					require.Positive(t, left, "%s: the context was never asked", typ)
					break
				}
				require.ErrorIs(t, err, context.Canceled, "%s left %d", typ, left)
			}
			releaseAll(chunks)
		}
	}
}

// requireGoroutines gives those that have finished their work the time to end.
func requireGoroutines(t *testing.T, most int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= most {
			return
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), most)
}
