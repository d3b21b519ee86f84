package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A nearlyKind is a way in which rows are nearly sorted, and the way in which they are then sorted.
type nearlyKind struct {
	name, way string
	shape     func(r *rand.Rand, n, i int) uint64
	swap      int // rows of which one is swapped with another; 0: none
}

func (k nearlyKind) keys(n int) []uint64 {
	keys := drawn(8, n, k.shape)
	r := rand.New(rand.NewPCG(9, uint64(n)))
	if k.swap > 0 {
		for range n / k.swap {
			a, b := r.IntN(n), r.IntN(n)
			keys[a], keys[b] = keys[b], keys[a]
		}
	}
	return keys
}

func risingKeys(_ *rand.Rand, _, i int) uint64 { return uint64(i+1)<<30 + uint64(i*i%1000) }

// runsOf are runs of a number of rows.
func runsOf(rows int) func(*rand.Rand, int, int) uint64 {
	return func(r *rand.Rand, n, i int) uint64 { return uint64(i%rows)<<30 + r.Uint64N(1<<20) }
}

// someEqual are rising keys, but for one row of 20, which all belong to one place.
func someEqual(r *rand.Rand, n, i int) uint64 {
	if r.IntN(20) == 0 {
		i = n / 2
	}
	return uint64(i) << 30
}

// nearlyKinds are first one for each way.
var nearlyKinds = []nearlyKind{
	{"1 % swapped", "misplaced", risingKeys, 100},
	{"a long and a short run", "runs", func(r *rand.Rand, n, i int) uint64 { return runsOf(n*3/5)(r, n, i) }, 0},
	{"jitter", "counting", func(r *rand.Rand, n, i int) uint64 { return uint64(i/64) + r.Uint64N(100) }, 0},
	{"1 % swapped, ties", "misplaced", func(_ *rand.Rand, _, i int) uint64 { return uint64(i/50) << 20 }, 100},
	{"one swapped", "misplaced", risingKeys, 30_000},
	{"3 % swapped", "misplaced", risingKeys, 66},
	{"12 runs", "runs", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/12+1)(r, n, i) }, 0},
	{"12 runs, ties", "runs", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/12+1)(r, n, i) >> 37 }, 0},
	{"neighbors", "", func(_ *rand.Rand, _, i int) uint64 { return uint64(i^1) << 30 }, 0},
	{"few neighbors", "misplaced", func(_ *rand.Rand, _, i int) uint64 {
		if i%64 < 2 {
			i ^= 1
		}
		return uint64(i) << 30
	}, 0},
	{"runs, some swapped", "", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/3+1)(r, n, i) }, 10_000},
	{"two runs, few swapped", "", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/2)(r, n, i) }, 4000},
	{"runs, 1 % swapped", "", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/3+1)(r, n, i) }, 100},
	{"20 % swapped", "", risingKeys, 5},
	{"5 % equal", "misplaced", someEqual, 0},
	{"40 runs", "", func(r *rand.Rand, n, i int) uint64 { return runsOf(n/40+1)(r, n, i) }, 0},
	{"distinct jitter", "", func(r *rand.Rand, _, i int) uint64 { return uint64(i)<<30 + r.Uint64N(1<<37) }, 0},
	{"an unsorted tail", "", func(r *rand.Rand, n, i int) uint64 {
		if i > n*9/10 {
			return r.Uint64()
		}
		return uint64(i) << 30
	}, 0},
	{"uniform", "", uniform, 0},
	{"few values", "", shapes["few"], 0},
}

// TestSortNearlySorted sorts every kind, on both sides of the borders of blocks, and in the way that is meant for it.
func TestSortNearlySorted(t *testing.T) {
	sizes := []int{smallRows + 1, 3*mergeRows - 1, tileRows + blockRows + 1, 150_000}
	if !testrun.Long() {
		sizes = sizes[:1]
	}
	for _, kind := range nearlyKinds {
		for _, n := range sizes {
			keys := kind.keys(n)
			want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			job := engine.Job{
				Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
				Gather: []int{0}, Threads: 1 + n%3,
			}
			name := fmt.Sprintf("%s, %d rows", kind.name, n)
			mem := newMeter(t)
			s, err := newSorter(t.Context(), &job, mem)
			require.NoError(t, err)
			s.nearlySorted = smallRows
			require.NoError(t, s.keys.Measure(s.pool, s.triesNearlySorted()))
			require.NoError(t, s.allocate())
			way := ""
			for _, w := range []struct {
				name string
				sort func() (bool, error)
			}{{"runs", s.sortRuns}, {"misplaced", s.sortMisplaced}, {"counting", s.sortCounting}} {
				done, err := w.sort()
				require.NoError(t, err, name)
				if done {
					requireSame(t, want, buffers.View[uint32](s.numbers.Out), "%s, by %s", name, w.name)
					way = w.name
					break
				}
			}
			s.mem.Release()
			require.Equal(t, kind.way, way, name)
			if way == "" { // then the plan must be one for other ways
				res, err := NewNearlySorted().Sort(t.Context(), &job, mem)
				require.NoError(t, err, name)
				requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%s", name)
				res.Release(mem)
			}
		}
	}
}

// TestMisplacedRowsOfOneTile: a tile of more than mergeRows misplaced rows would keep one worker busy for long, so the
// sample turns such rows away.
func TestMisplacedRowsOfOneTile(t *testing.T) {
	for n, ok := range map[int]bool{200_000: true, 600_000: false} {
		keys := drawn(8, n, someEqual)
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
			Threads: 2,
		}
		s := newTestSorter(t, &job)
		require.NoError(t, s.allocate())
		require.Equal(t, ok, (&outliers{s: s, src: s.keys.Source()}).findAnchors(), "%d rows", n)
		res, _ := mustSort(t, &job)
		want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%d rows", n)
	}
}

// TestNearlySortedTempMemory holds the ways to their temp storage: a byte for each row and 4 for each misplaced one, or
// counters, and 1 MiB for each worker.
func TestNearlySortedTempMemory(t *testing.T) {
	n := 2_000_000
	if !testrun.Long() {
		n = 200_000
	}
	for _, kind := range nearlyKinds[:3] {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(kind.keys(n))}, Keys: []keyencode.Key{{}},
			Gather: []int{0}, Threads: 2,
		}
		_, temp := mustSort(t, &job)
		require.LessOrEqual(t, temp, n*5/4+2<<20, kind.name)
	}
}

// TestLongestRising compares with all subsequences of few codes.
func TestLongestRising(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		codes := make([]uint64, 1+r.IntN(10))
		for i := range codes {
			codes[i] = r.Uint64N(6)
		}
		longest := 0
		for set := range 1 << len(codes) {
			var some []uint64
			for i, c := range codes {
				if set>>i&1 == 1 {
					some = append(some, c)
				}
			}
			if slices.IsSorted(some) {
				longest = max(longest, len(some))
			}
		}
		places := longestRising(codes)
		require.Len(t, places, longest, "%v", codes)
		require.True(t, slices.IsSortedFunc(places, func(a, b int) int { return cmp.Compare(codes[a], codes[b]) }))
		require.True(t, slices.IsSorted(places))
		require.Len(t, slices.Compact(slices.Clone(places)), longest)
	}
}

// TestSortNearlySortedAtRandom mixes runs, swapped rows, jitter, ties and an unsorted part at random.
func TestSortNearlySortedAtRandom(t *testing.T) {
	for seed := range testrun.Count(150, 8) {
		r := rand.New(rand.NewPCG(testrun.Seed()+uint64(seed), 4))
		n := smallRows + 1 + r.IntN(30_000)
		keys := make([]uint64, n)
		scale, ties, jitter := uint64(1)<<r.IntN(40), 1+r.IntN(1<<r.IntN(12)), 1+r.Uint64N(1<<r.IntN(10))
		for lo, runs := 0, 1+r.IntN(1<<r.IntN(5)); lo < n; {
			hi := min(n, lo+1+r.IntN(2*n/runs))
			for i := lo; i < hi; i++ {
				keys[i] = (uint64((i-lo)/ties) + r.Uint64N(jitter)) * scale
			}
			if lo = hi; r.IntN(2) == 0 {
				jitter = 1
			}
		}
		for range r.IntN(1 << r.IntN(12)) {
			a, b := r.IntN(n), r.IntN(n)
			keys[a], keys[b] = keys[b], keys[a]
		}
		if lo := r.IntN(n); r.IntN(4) == 0 {
			part := keys[lo:min(n, lo+r.IntN(3000))]
			r.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
		}
		mem := newMeter(t)
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
			Gather: []int{0}, Threads: 1 + seed%2,
		}
		res, err := NewNearlySorted().Sort(t.Context(), &job, mem)
		require.NoError(t, err, "seed %d", seed)
		want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		requireSame(t, want, buffers.View[uint32](res.RowNumbers), "seed %d", seed)
		slices.Sort(keys)
		requireSame(t, keys, buffers.View[uint64](res.Columns[0].Values), "seed %d", seed)
		res.Release(mem)
	}
}

// TestNearlySortedStops cancels every way at many looks at the context, and in each allocation.
func TestNearlySortedStops(t *testing.T) {
	const n = 60_000
	before := runtime.NumGoroutine()
	text := cputest.AllTexts[11]
	texts, valid := text.Draw(n)
	for i, kind := range nearlyKinds[:3] {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{
				uint64Column(kind.keys(n)), text.Column(keyencode.Binary, texts, valid),
			},
			Keys: []keyencode.Key{{}}, RowNumbers: 4 * (i % 2), Gather: []int{1, 0}, Threads: 1,
		}
		requireStops(t, NewNearlySorted(), &job)
		requireNoLateAllocation(t, NewNearlySorted(), &job)
	}
	requireGoroutines(t, before)
}

// TestNearlySortedFailingMemory lets every allocation of every way fail.
func TestNearlySortedFailingMemory(t *testing.T) {
	const n = smallRows + 1
	for _, kind := range nearlyKinds[:3] {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(kind.keys(n))}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
			Gather: []int{0}, Threads: 2,
		}
		for fail := 1; ; fail++ {
			mem := &failingOnce{meter: newMeter(t), n: fail}
			res, err := NewNearlySorted().Sort(t.Context(), &job, mem)
			if mem.n > 0 {
				require.NoError(t, err)
				require.Greater(t, fail, 3, "allocations")
				res.Release(mem)
				break
			}
			require.ErrorIs(t, err, engine.ErrMemory, "%s, allocation %d", kind.name, fail)
			require.Zero(t, mem.CurrentAlloc(), "%s, allocation %d", kind.name, fail)
		}
	}
}

// A failingOnce allocator returns nothing in its n-th call.
type failingOnce struct {
	*meter
	n int
}

func (f *failingOnce) Allocate(n int) []byte {
	if f.n--; f.n == 0 {
		return nil
	}
	return f.meter.Allocate(n)
}

// TestCountedRowsAreCombined counts few codes that are not near one another: their rows move by write combining.
func TestCountedRowsAreCombined(t *testing.T) {
	n := 5*tileRows + 7
	keys := drawn(5, n, func(r *rand.Rand, _, i int) uint64 {
		if i%100 == 0 {
			return r.Uint64N(1 << 10)
		}
		return 400 + r.Uint64N(200)
	})
	want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	for _, lines := range []bool{true, false} {
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, Gather: []int{0},
			RowNumbers: 4, Threads: 2,
		}
		s := newTestSorter(t, &job)
		s.combine = lines
		require.NoError(t, s.allocate())
		p, err := s.countCodes(s.movers())
		require.NoError(t, err)
		require.Equal(t, lines, p.Bins != nil)
		p.Release()
		done, err := s.sortCounting()
		require.NoError(t, err)
		require.True(t, done)
		requireSame(t, want, buffers.View[uint32](s.numbers.Out), "rows, lines %v", lines)
		for i, row := range want {
			require.Equal(t, keys[row], buffers.View[uint64](s.columns[0].Values.Out)[i])
		}
	}
}
