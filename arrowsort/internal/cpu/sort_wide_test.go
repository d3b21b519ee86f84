package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSortWide gathers many columns by row numbers, and partitions the same columns a few at a time.
func TestSortWide(t *testing.T) {
	const n = smallRows + 5000
	r := rand.New(rand.NewPCG(1, 2))
	job := engine.Job{Rows: n, Keys: []keyencode.Key{{}}, RowNumbers: 8, Threads: 4} // not a divisor of all movers
	for c := range 2 * wideMovers {
		keys, valid := make([]uint64, n), make([]bool, n)
		for i := range keys {
			keys[i], valid[i] = r.Uint64N(1<<40), i%3 > 0
		}
		column := uint64Column(keys)
		if c%4 == 1 {
			column.Chunks[0].Validity = bitmapOf(r, 0, valid)
		}
		if c%4 == 2 {
			half := n / 2
			column.Chunks = []keyencode.Chunk{
				{Rows: half, Values: bytesOf(keys[:half])}, {Rows: n - half, Values: bytesOf(keys[half:])},
			}
		}
		job.Columns = append(job.Columns, column)
	}
	for i := range job.Columns {
		job.Gather = append(job.Gather, i)
	}
	s := newTestSorter(t, &job)
	require.NoError(t, s.allocate())
	require.True(t, s.gathersMovers(s.movers()))
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

// TestGathersMovers is the choice at its borders.
func TestGathersMovers(t *testing.T) {
	for _, c := range []struct {
		rows, width, count int
		want               bool
	}{
		{wideBytes / 8, 8, wideMovers, true},
		{wideBytes/8 + 1, 8, wideMovers, false},
		{wideBytes / 8, 8, wideMovers - 1, false},
		{wideBytes / 16, 16, wideMovers, true},
		{wideBytes / 8, 16, wideMovers, false},
		{wideBytes, 1, 1000, true},
	} {
		s := sorter{rows: c.rows, job: &engine.Job{}, buffers: buffers{mem: memory.DefaultAllocator}}
		movers := make([]*mover, c.count)
		for i := range movers {
			movers[i] = &mover{width: 1}
		}
		movers[c.count-1].width = c.width
		require.Equal(t, c.want, s.gathersMovers(movers), "%+v", c)
	}
}
