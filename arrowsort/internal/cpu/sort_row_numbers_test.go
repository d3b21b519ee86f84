package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestRecordsTie samples keys whose records hold all of a code, random codes that are cut, and codes of which a fifth
// occur twice.
func TestRecordsTie(t *testing.T) {
	const n = 1 << 18
	half := func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(uint64(n)*5/2) * 0x9e3779b97f4a7c15 }
	for _, c := range []struct {
		name string
		keys []uint64
		want bool
	}{
		{"short codes", drawn(1, n, func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(1000) }), false},
		{"random codes", drawn(2, n, uniform), false},
		{"repeated codes", drawn(3, n, half), true},
	} {
		columns := []keyencode.Column{uint64Column(c.keys)}
		job := engine.Job{Rows: n, Columns: columns, Keys: []keyencode.Key{{}}, RowNumbers: 8}
		require.Equal(t, c.want, newTestSorter(t, &job).recordsTie(), c.name)
		mustSort(t, &job)
	}
}

// limits are those worth trying for n rows.
func limits(n int) []int {
	return []int{1, 2, n / 1000, n / 10, n / 4, n/4 + 1, n / 2, n - 1, n, n + 1}
}

// TestSelectTop compares sorts with a limit with the leading rows of the full sort.
func TestSelectTop(t *testing.T) {
	const n = 60_000
	payload := drawn(9, n, uniform)
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			columns := []keyencode.Column{uint64Column(drawn(1, n, shape)), uint64Column(payload)}
			for _, job := range []engine.Job{
				{Keys: []keyencode.Key{{}}},
				{Keys: []keyencode.Key{{Order: keyencode.Descending}}, Gather: []int{1, 0}},
				{Keys: []keyencode.Key{{}, {Column: 1}}, Gather: []int{0}},
			} {
				job.Rows, job.Columns, job.RowNumbers, job.Threads = n, columns, 8, 2
				full, _ := mustSort(t, &job)
				for _, limit := range limits(n) {
					job.Limit = limit
					top, _ := mustSort(t, &job)
					name := fmt.Sprintf("keys %+v, gather %v, limit %d", job.Keys, job.Gather, limit)
					all, leading := buffers.View[uint64](full.RowNumbers), buffers.View[uint64](top.RowNumbers)
					requireSame(t, all[:top.Rows], leading, "%s", name)
					for i := range job.Gather {
						all = buffers.View[uint64](full.Columns[i].Values)
						leading = buffers.View[uint64](top.Columns[i].Values)
						requireSame(t, all[:top.Rows], leading, "%s: column %d", name, i)
					}
				}
			}
		})
	}
}

// TestSelectTopOfFewRows does the same below the size of a partition.
func TestSelectTopOfFewRows(t *testing.T) {
	for _, n := range []int{1, 2, 100, 5000, smallRows} {
		keys := drawn(1, n, func(r *rand.Rand, n, _ int) uint64 { return r.Uint64N(uint64(n/3 + 1)) })
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
		}
		full, _ := mustSort(t, &job)
		for _, limit := range limits(n) {
			job.Limit = limit
			top, _ := mustSort(t, &job)
			all, leading := buffers.View[uint32](full.RowNumbers), buffers.View[uint32](top.RowNumbers)
			requireSame(t, all[:top.Rows], leading, "%d rows, limit %d", n, limit)
		}
	}
}

// TestTopTakesLittleMemory: what the leading rows cost: two bytes for each row of the input, and no copy of a
// column.
func TestTopTakesLittleMemory(t *testing.T) {
	const n = 400_000
	keys := uint64Column(drawn(1, n, uniform))
	job := engine.Job{
		Rows: n, Columns: []keyencode.Column{keys, keys, keys}, Keys: []keyencode.Key{{}}, Gather: []int{0, 1, 2},
		Limit: 100, Threads: 2,
	}
	_, temp := mustSort(t, &job)
	require.LessOrEqual(t, temp, 2*n+1<<20, "temp memory of the first 100 of %d rows", n)
}
