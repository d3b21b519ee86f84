package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSortWide moves many columns by row numbers, gathered at once and from bins, and partitions the same columns a few
// at a time.
func TestSortWide(t *testing.T) {
	for _, n := range []int{smallRows + 5000, gatheredRows, gatheredRows + 1, gatheredRows + cachedBinRows} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { testSortWide(t, n) })
	}
}

func testSortWide(t *testing.T, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	job := engine.Job{Rows: n, Keys: []keyencode.Key{{}}, RowNumbers: 8, Threads: 4} // not a divisor of all movers
	for c := range 2 * payload.ManyMovers {
		keys, valid := make([]uint64, n), make([]bool, n)
		for i := range keys {
			keys[i], valid[i] = r.Uint64N(1<<40), i%3 > 0
		}
		column := uint64Column(keys)
		if c%4 == 1 {
			column.Chunks[0].Validity = cputest.Bitmap(r, 0, valid)
		}
		if c%4 == 2 {
			half := n / 2
			column.Chunks = []keyencode.Chunk{
				{Rows: half, Values: buffers.Bytes(keys[:half])}, {Rows: n - half, Values: buffers.Bytes(keys[half:])},
			}
		}
		if c%4 == 3 {
			words := make([]uint16, n)
			for i := range words {
				words[i] = uint16(keys[i])
			}
			column = keyencode.Column{
				Kind: keyencode.Uint16, Chunks: []keyencode.Chunk{{Rows: n, Values: buffers.Bytes(words)}},
			}
		}
		job.Columns = append(job.Columns, column)
	}
	for i := range job.Columns {
		job.Gather = append(job.Gather, i)
	}
	s := newTestSorter(t, &job)
	require.NoError(t, s.allocate())
	require.True(t, s.cachesColumns(s.movers()))
	require.NotZero(t, len(s.movers())%job.Threads)
	require.False(t, s.recordsTie())
	wide, _ := mustSort(t, &job)
	for lo := 0; lo < len(job.Columns); lo += 2 {
		few := job
		few.Gather = []int{lo, lo + 1}
		want, _ := mustSort(t, &few)
		require.Equal(t, want.RowNumbers, wide.RowNumbers)
		require.Equal(t, want.Columns, wide.Columns[lo:lo+2], "columns %d and %d", lo, lo+1)
	}
}

// TestCachesColumns is the choice at its borders.
func TestCachesColumns(t *testing.T) {
	for _, c := range []struct {
		rows, width, count int
		want               bool
	}{
		{cachedRows, 8, payload.ManyMovers, true},
		{cachedRows + 1, 8, payload.ManyMovers, false},
		{cachedRows, 8, payload.ManyMovers - 1, false},
		{cachedRows / 2, 16, payload.ManyMovers, true},
		{cachedRows, 16, payload.ManyMovers, false},
		{cachedRows, 1, 1000, true},
		{cachedRows + 1, 1, 1000, false},
	} {
		s := sorter{rows: c.rows, job: &engine.Job{}, mem: arena.New(t.Context(), memory.DefaultAllocator)}
		movers := make([]*payload.Mover, c.count)
		for i := range movers {
			movers[i] = &payload.Mover{Width: 1}
		}
		movers[c.count-1].Width = c.width
		require.Equal(t, c.want, s.cachesColumns(movers), "%+v", c)
	}
}
