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
	return map[string]call{
		"Sort": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Sort(ctx, rec, keys, o))
		},
		"Sort in order": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Sort(ctx, sorted, keys, o))
		},
		"SortIndices": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SortIndices(ctx, rec, keys, o))
		},
		"SortIndices32 in order": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SortIndices32(ctx, sorted, keys, o))
		},
		"Rank": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Rank(ctx, rec, keys, arrowsort.TiesFirst, o))
		},
		"Rank in order": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Rank(ctx, sorted, keys, arrowsort.TiesMin, o))
		},
		"Rank in order by one key": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Rank(ctx, sorted, keys[:1], arrowsort.TiesMin, o))
		},
		"RankAverage in order": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.RankAverage(ctx, sorted, keys, o))
		},
		"CurveIndex": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.CurveIndex(ctx, rec, keys, arrowsort.Hilbert, o))
		},
		"SelectKPerGroup": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SelectKPerGroup(ctx, rec, keys[:1], keys[1:], 2, o))
		},
		"SelectKPerGroup in order": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SelectKPerGroup(ctx, sorted, keys[:1], keys[1:], 2, o))
		},
		"PartitionNth": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.PartitionNth(ctx, rec, keys, 10, o))
		},
		"Groups": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Groups(ctx, sorted, keys, o))
		},
		"Take": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Take(ctx, rec, rows, o))
		},
		"Merge": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Merge(ctx, []arrow.Record{sorted, sorted}, keys, o))
		},
		"SearchSorted": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SearchSorted(ctx, sorted, rec, keys, arrowsort.Left, o))
		},
		"SearchSorted of few": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SearchSorted(ctx, sorted, wanted, keys, arrowsort.Left, o))
		},
		"SearchSorted in few": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SearchSorted(ctx, strip, rec, keys, arrowsort.Right, o))
		},
		"IsSorted": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			_, _, err := arrowsort.IsSorted(ctx, sorted, keys, o)
			return nil, err
		},
		"Explain": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			_, err := arrowsort.Explain(ctx, rec, keys, o)
			return nil, err
		},
	}
}
