package arrowsort_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// A slab allocates from memory that was made before, so that what Go's heap gives is for others.
type slab struct {
	bytes []byte
	used  int
}

func (s *slab) Allocate(size int) []byte {
	b := s.bytes[s.used : s.used+size : s.used+size]
	s.used += (size + 63) &^ 63
	return b
}

func (s *slab) Reallocate(size int, b []byte) []byte {
	longer := s.Allocate(size)
	copy(longer, b)
	return longer
}

func (s *slab) Free([]byte) {}

// recordsForHeap have two keys each, so that rows tie in the first word, or long strings.
func recordsForHeap(t *testing.T, rows int) map[string]arrow.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	few, wide := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	long := array.NewStringBuilder(memory.DefaultAllocator)
	for range rows {
		few.Append(rng.Int64N(100) << 50)
		wide.Append(rng.Int64())
		n := rng.IntN(rows)
		long.Append(strconv.Itoa(n%7) + " is the start, 7 letters of Go: " + strconv.Itoa(n))
	}
	texts, groups, numbers := long.NewArray(), few.NewArray(), wide.NewArray()
	return map[string]arrow.Record{
		"numbers": record(t, []string{"a", "b"}, groups, numbers),
		"strings": record(t, []string{"a", "b"}, texts, numbers),
	}
}

// TestHeapOfGoDoesNotGrowWithTheRows: what grows with the rows comes from the caller's allocator. Each worker takes
// some memory from Go's heap for its bins.
func TestHeapOfGoDoesNotGrowWithTheRows(t *testing.T) {
	const few, many = 80_000, 240_000
	keys := []arrowsort.Key{{Path: "a"}, {Path: "b"}}
	mem := &slab{bytes: make([]byte, 1<<27)}
	opts := arrowsort.Options{Allocator: mem, Threads: 1}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which empties pools at any moment
	for name, all := range recordsForHeap(t, many) {
		heap := map[string][2]uint64{} // of each call on few and many rows
		for i, rows := range []int64{few, many} {
			rec := all.NewSlice(0, rows)
			t.Cleanup(rec.Release)
			sorted, err := arrowsort.Sort(t.Context(), rec, keys, arrowsort.Options{})
			require.NoError(t, err)
			t.Cleanup(sorted.Release)
			for call, f := range callsForHeap(t, rec, sorted, keys) {
				taken := heap[call]
				taken[i] = math.MaxUint64
				for range 4 { // the first call makes what later ones share, unless a collection frees it
					var before, after runtime.MemStats
					mem.used = 0
					runtime.ReadMemStats(&before)
					_, err := f(t.Context(), opts)
					require.NoError(t, err)
					runtime.ReadMemStats(&after)
					taken[i] = min(taken[i], after.TotalAlloc-before.TotalAlloc)
				}
				heap[call] = taken
			}
		}
		for call, taken := range heap {
			require.LessOrEqual(t, taken[1], taken[0]+3*(many-few), "%s of %s, %v bytes", call, name, taken)
		}
	}
}

func callsForHeap(t *testing.T, rec, sorted arrow.Record, keys []arrowsort.Key) map[string]call {
	rows, err := arrowsort.SortIndices(t.Context(), rec, keys, arrowsort.Options{})
	require.NoError(t, err)
	t.Cleanup(rows.Release)
	strip := sorted.NewSlice(0, 1000)
	t.Cleanup(strip.Release)
	wanted := rec.NewSlice(0, rec.NumRows()/256)
	t.Cleanup(wanted.Release)
	calls, inOrder := callsOn(rec, sorted, rec, rows, keys), callsOn(sorted, sorted, wanted, rows, keys)
	for _, name := range []string{"Sort", "SortIndices32", "Rank", "RankAverage", "SelectKPerGroup"} {
		calls[name+" in order"] = inOrder[name]
	}
	calls["Rank in order by one key"] = callsOn(sorted, sorted, wanted, rows, keys[:1])["Rank"]
	calls["Rank, the first of ties"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
		return data(arrowsort.Rank(ctx, rec, keys, arrowsort.TiesFirst, o))
	}
	calls["SearchSorted of few"] = inOrder["SearchSorted"]
	calls["SearchSorted in few"] = callsOn(rec, strip, rec, rows, keys)["SearchSorted"]
	return calls
}
