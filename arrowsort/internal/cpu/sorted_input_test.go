package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// risingJobs are jobs in order in which lower makes a row sort before its predecessor: by one word; by the second word,
// where all rows tie in the first or pairs of them do; by a string, deep in it.
func risingJobs(n int) map[string]func() (job engine.Job, lower func(row int)) {
	rising := func(per int) []uint64 {
		return drawn(1, n, func(r *rand.Rand, n, i int) uint64 { return uint64(i/per+1) << 40 })
	}
	words := func(keys ...[]uint64) (job engine.Job) {
		job.Rows = n
		for i, k := range keys {
			job.Columns = append(job.Columns, uint64Column(k))
			job.Keys = append(job.Keys, keyencode.Key{Column: i})
		}
		return job
	}
	wide := func(i int) uint64 { return uint64(i+1)<<40 + uint64(i*i%1000) } // neither a common factor nor dead bits
	return map[string]func() (engine.Job, func(int)){
		"one word": func() (engine.Job, func(int)) {
			keys := rising(1)
			return words(keys), func(row int) { keys[row] = keys[row-1] - 1 }
		},
		"ties": func() (engine.Job, func(int)) {
			keys := rising(1 << 20)
			return words(keys), func(row int) { keys[row] = keys[row-1] - 1 }
		},
		"two keys": func() (engine.Job, func(int)) {
			first := numbered(n, func(i int) uint64 { return wide(i / 2) })
			second := numbered(n, wide)
			return words(first, second), func(row int) { first[row], second[row] = first[row-1], second[row-1]-1 }
		},
		"the last of three": func() (engine.Job, func(int)) {
			first, third := rising(n+1), rising(1)
			return words(first, first, third), func(row int) { third[row] = third[row-1] - 1 }
		},
		"strings": func() (engine.Job, func(int)) {
			data := [][]byte{
				slices.Repeat([]byte{'a'}, 50), append(slices.Repeat([]byte{'a'}, 49), 'b'),
				slices.Repeat([]byte{'z'}, 50),
			}
			c := viewColumn(n, data, func(i int) int { return 1 + i/(n-1|1) }) // no head that all rows share
			return engine.Job{Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{{}}}, func(row int) {
				view[uint32](c.Chunks[0].Values)[4*row+2] = 0
			}
		},
	}
}

// TestFirstUnsorted lowers one row, or several, on both sides of the borders of blocks and tiles.
func TestFirstUnsorted(t *testing.T) {
	const n = 2*placeRows + 1000
	rows := []int{
		1, 2, blockRows - 1, blockRows, blockRows + 1, 2*blockRows - 2, 2 * blockRows, placeRows - 1, placeRows,
		placeRows + 1, placeRows + blockRows, n - 1,
	}
	several := map[string]bool{"two keys": true, "strings": true}
	for name, build := range risingJobs(n) {
		job, _ := build()
		job.Threads = 2
		row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
		require.NoError(t, err)
		require.Equal(t, -1, row, "%s: all rows are in order", name)
		plan, err := Explain(t.Context(), &job, newMeter(t))
		require.NoError(t, err)
		require.Equal(t, several[name], plan.Words() > 1, "%s: the code has several words", name)
		for _, at := range rows {
			job, lower := build()
			job.Threads = 2
			lower(at)
			if at+2*blockRows < n {
				lower(at + 2*blockRows)
				lower(n - 2)
			}
			row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
			require.NoError(t, err)
			require.Equal(t, at, row, "%s: row %d is the first that is too low", name, at)
		}
	}
}

// TestFirstUnsortedOfFew does the same for every row of few.
func TestFirstUnsortedOfFew(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 40} {
		for name, build := range risingJobs(n) {
			for at := range n + 1 {
				job, lower := build()
				want := -1 // for 0 and n, which lower nothing
				if at > 0 && at < n {
					lower(at)
					want = at
				}
				row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
				require.NoError(t, err)
				require.Equal(t, want, row, "%s, %d rows", name, n)
			}
		}
	}
}

// TestInOrderIsOneCopy: rows in order, and rows that fall at every step, are sorted without temp storage that
// grows with the rows.
func TestInOrderIsOneCopy(t *testing.T) {
	const n = 150_000
	for name, build := range risingJobs(n) {
		job, _ := build()
		job.RowNumbers, job.Threads = 8, 2
		for i := range job.Columns {
			job.Gather = append(job.Gather, i)
		}
		for _, limit := range []int{0, 1000, n - 1} {
			job.Limit = limit
			res, temp := mustSort(t, &job)
			requireSame(
				t, numbered(res.Rows, func(i int) uint64 { return uint64(i) }), view[uint64](res.RowNumbers),
				"%s, limit %d", name, limit,
			)
			require.LessOrEqual(t, temp, 64, "%s, limit %d: temp memory", name, limit)
		}
	}
	keys := drawn(1, n, shapes["reversed"])
	job := engine.Job{
		Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 8,
		Gather: []int{0}, Threads: 2,
	}
	res, temp := mustSort(t, &job)
	requireSame(
		t, numbered(n, func(i int) uint64 { return uint64(n - 1 - i) }), view[uint64](res.RowNumbers), "reversed",
	)
	slices.Reverse(keys)
	requireSame(t, keys, view[uint64](res.Columns[0].Values), "reversed")
	require.LessOrEqual(t, temp, 2*blockRows*8, "reversed: temp memory")
}

// TestReverseInto reverses values of every width that a mover may have.
func TestReverseInto(t *testing.T) {
	for _, width := range []int{1, 2, 3, 4, 8, 16, 32} {
		for _, n := range []int{0, 1, 2, 7, 100} {
			src, want := make([]byte, n*width), []byte(nil)
			for i := range src {
				src[i] = byte(rand.Uint32())
			}
			for i := n - 1; i >= 0; i-- {
				want = append(want, src[i*width:(i+1)*width]...)
			}
			dst := make([]byte, n*width)
			reverseInto(dst, src, width)
			require.Equal(t, fmt.Sprintf("%x", want), fmt.Sprintf("%x", dst), "%d values of %d bytes", n, width)
		}
	}
}

// numbered are n words of a function of the place.
func numbered(n int, f func(i int) uint64) []uint64 {
	return drawn(0, n, func(_ *rand.Rand, _, i int) uint64 { return f(i) })
}
