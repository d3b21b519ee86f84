package cpu

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A meter is a checked allocator that counts the most bytes allocated at once. It fails the test when something stays
// out.
type meter struct {
	*memory.CheckedAllocator
	most int
}

func newMeter(t testing.TB) *meter {
	m := &meter{CheckedAllocator: memory.NewCheckedAllocator(memory.NewGoAllocator())}
	t.Cleanup(func() { m.AssertSize(t, 0) })
	return m
}

func (m *meter) Allocate(n int) []byte {
	b := m.CheckedAllocator.Allocate(n)
	m.most = max(m.most, m.CurrentAlloc())
	return b
}

// mustSort sorts with an allocator that is checked; the result is released with the test. temp is the most memory that
// was allocated in addition to it.
func mustSort(t testing.TB, job *engine.Job) (res *engine.Result, temp int) {
	t.Helper()
	mem := newMeter(t)
	res, err := New().Sort(t.Context(), job, mem)
	require.NoError(t, err)
	require.Equal(t, job.Out(), res.Rows)
	t.Cleanup(func() { res.Release(mem) })
	return res, mem.most - mem.CurrentAlloc()
}

// newTestSorter is a sorter that has measured a job; what it holds is released with the test.
func newTestSorter(t testing.TB, job *engine.Job) *sorter {
	t.Helper()
	s, _ := newMeteredSorter(t, job)
	return s
}

// newMeteredSorter is newTestSorter that also returns its allocator.
func newMeteredSorter(t testing.TB, job *engine.Job) (*sorter, *meter) {
	t.Helper()
	mem := newMeter(t)
	s, err := newSorter(t.Context(), job, mem)
	require.NoError(t, err)
	t.Cleanup(s.mem.Release)
	require.NoError(t, s.measure())
	return s, mem
}

// newTestBinSorter has temp storage for bins of up to rows rows.
func newTestBinSorter(t testing.TB, rows int, ties bool) *binSorter {
	t.Helper()
	mem := arena.New(t.Context(), newMeter(t))
	t.Cleanup(mem.Release)
	f := &binSorter{pool: workers.NewPool(context.Background(), 1, 0, nil)}
	require.NoError(t, f.reserve(mem, rows, 8, ties))
	return f
}

// drawn are n keys of a distribution.
func drawn(seed uint64, n int, f func(r *rand.Rand, n, i int) uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = f(r, n, i)
	}
	return keys
}

func uniform(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }

// stable is the definition of a sort: the rows in the order of compare, ties as they come.
func stable(rows []uint32, compare func(a, b uint32) int) []uint32 {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, compare)
	return rows
}

// allRows are the rows 0..n-1.
func allRows(n int) []uint32 {
	rows := make([]uint32, n)
	series(rows, 0)
	return rows
}

// requireSame compares long slices: it prints the first difference and not all of them.
func requireSame[T comparable](t testing.TB, want, got []T, format string, args ...any) {
	t.Helper()
	require.Len(t, got, len(want), append([]any{format}, args...)...)
	for i := range want {
		if want[i] != got[i] {
			require.Equal(t, want[i], got[i], append([]any{"place %d: " + format, i}, args...)...)
		}
	}
}

// requireGoroutines waits a moment for goroutines that are about to end; there may not be more than before.
func requireGoroutines(t testing.TB, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	require.Failf(t, "goroutines outlive a call", "%d before, now:\n%s", before, stacks[:runtime.Stack(stacks, true)])
}

// viewColumn is a BinaryView column: row i is string pick(i) of data, none shorter than 13 bytes, or empty for a pick
// of -1.
func viewColumn(n int, data [][]byte, pick func(i int) int) keyencode.Column {
	values := make([]byte, 16*n)
	for i := range n {
		if k := pick(i); k >= 0 {
			v := buffers.View[uint32](values[16*i : 16*i+16])
			v[0], v[2] = uint32(len(data[k])), uint32(k)
			copy(values[16*i+4:16*i+8], data[k])
		}
	}
	return keyencode.Column{
		Kind: keyencode.BinaryView, Chunks: []keyencode.Chunk{{Rows: n, Values: values, Data: data}},
	}
}
