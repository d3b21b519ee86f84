package cpu

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

var allTies = map[string]Ties{
	"first": TiesFirst, "min": TiesMin, "max": TiesMax, "dense": TiesDense, "average": TiesAverage,
}

// ranksOf are the ranks of rows by the definition, average ones as bits of float64.
func ranksOf(keys []uint64, ties Ties) []uint64 {
	order := stable(allRows(len(keys)), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	ranks := make([]uint64, len(keys))
	dense := uint64(0)
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && keys[order[end]] == keys[order[i]] {
			end++
		}
		dense++
		for place := i; place < end; place++ {
			ranks[order[place]] = map[Ties]uint64{
				TiesFirst: uint64(place + 1), TiesMin: uint64(i + 1), TiesMax: uint64(end), TiesDense: dense,
				TiesAverage: math.Float64bits(float64(i+1+end) / 2),
			}[ties]
		}
		i = end
	}
	return ranks
}

func rankJob(keys []uint64, threads int) *engine.Job {
	return &engine.Job{
		Rows: len(keys), Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, Threads: threads,
	}
}

// TestRank ranks keys of every distribution. Those in order or nearly in order are sorted.
func TestRank(t *testing.T) {
	const n = 150_000
	ranked := 0
	tried := 0
	for name, shape := range shapes {
		keys := drawn(1, n, shape)
		for text, ties := range allTies {
			if !testrun.Share(3, name, text) {
				continue
			}
			tried++
			mem := newMeter(t)
			result, sorted, err := Rank(t.Context(), rankJob(keys, 2), ties, mem)
			require.NoError(t, err)
			if result == nil {
				requireSorted(t, keys, sorted, name)
				sorted.Release(mem)
				continue
			}
			require.Nil(t, sorted)
			ranked++
			requireSame(t, ranksOf(keys, ties), buffers.View[uint64](result.RowNumbers), "%s, %s", name, text)
			result.Release(mem)
			require.LessOrEqual(t, mem.Most, n*(8+10+4)+4*binsort.MaxRows*28+1<<20, "%s, %s: memory", name, text)
		}
	}
	require.Greater(t, ranked, tried/3, "distributions that are ranked")
}

// requireSorted requires row numbers in the stable order of keys, or none where the keys are in order.
func requireSorted(t *testing.T, keys []uint64, sorted *engine.Result, name string) {
	require.Equal(t, len(keys), sorted.Rows)
	want := stable(allRows(len(keys)), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	got := buffers.View[uint32](sorted.RowNumbers)
	if len(got) == 0 {
		got = allRows(len(keys))
	}
	requireSame(t, want, got, name)
}

// TestRankSortsFew: a partition does not pay.
func TestRankSortsFew(t *testing.T) {
	mem, few := newMeter(t), drawn(1, smallRows, uniform)
	result, sorted, err := Rank(t.Context(), rankJob(few, 2), TiesMin, mem)
	require.NoError(t, err)
	require.Nil(t, result)
	requireSorted(t, few, sorted, "few")
	sorted.Release(mem)
}

// TestRankBySeveralWords ranks rows of which many tie in the first word of their codes, and some in both, in bins that
// one worker sorts and in longer ones.
func TestRankBySeveralWords(t *testing.T) {
	const n = 200_000
	for _, heads := range testrun.Sample(3, []uint64{2, 5000, math.MaxUint64}) {
		mem := newMeter(t)
		first := drawn(1, n, func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(heads) * 0x9e3779b97f4a7c15 })
		second := drawn(2, n, func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(1000) * 0x9e3779b97f4a7c15 })
		both := make([]uint64, n) // the number of the pair in the order of the pairs
		order := stable(allRows(n), func(a, b uint32) int {
			return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
		})
		for i, row := range order[1:] {
			both[row] = both[order[i]]
			if first[row] != first[order[i]] || second[row] != second[order[i]] {
				both[row]++
			}
		}
		job := rankJob(first, 2)
		job.Columns = append(job.Columns, uint64Column(second))
		job.Keys = append(job.Keys, keyencode.Key{Column: 1})
		for text, ties := range allTies {
			result, _, err := Rank(t.Context(), job, ties, mem)
			require.NoError(t, err)
			requireSame(t, ranksOf(both, ties), buffers.View[uint64](result.RowNumbers), "%d heads, %s", heads, text)
			result.Release(mem)
		}
	}
}

// TestRankCombines moves the codes by write combining.
func TestRankCombines(t *testing.T) {
	keys := drawn(1, 150_000, uniform)
	for text, ties := range allTies {
		s, mem := newMeteredSorter(t, rankJob(keys, 2))
		s.combine = true
		result, err := s.rank(ties)
		require.NoError(t, err)
		requireSame(t, ranksOf(keys, ties), buffers.View[uint64](result.RowNumbers), text)
		result.Release(mem)
	}
}

// TestRankLongBin ranks the rows of a bin that are too many for one worker, and do not all tie.
func TestRankLongBin(t *testing.T) {
	const n = 200_000
	for _, few := range testrun.Sample(2, []uint64{1, 5, math.MaxUint64}) {
		keys := drawn(3, n, uniform)
		for i := range keys {
			keys[i] %= few
		}
		for text, ties := range allTies {
			s, mem := newMeteredSorter(t, rankJob(drawn(1, n, uniform), 2))
			codes := append([]uint64{}, keys...)
			groups, err := s.rankOversizedBin(movedRows{words: codes}, codes, ties)
			require.NoError(t, err)
			for i, rank := range codes {
				codes[i] = ties.Value(rank)
			}
			requireSame(t, ranksOf(keys, ties), codes, "%d different keys, %s", few, text)
			require.LessOrEqual(t, uint64(groups), few)
			require.Zero(t, mem.CurrentAlloc(), "temp storage that is not back")
		}
	}
}

// TestRankReportsProgressAndPlan: the progress rises to its total.
func TestRankReportsProgressAndPlan(t *testing.T) {
	mem := newMeter(t)
	job := rankJob(drawn(1, 100_000, uniform), 1)
	last, whole := 0, 0
	job.Plan = true
	job.Progress = func(done, total int) {
		require.GreaterOrEqual(t, done, last)
		last, whole = done, total
	}
	result, _, err := Rank(t.Context(), job, TiesDense, mem)
	require.NoError(t, err)
	defer result.Release(mem)
	require.Equal(t, 4*job.Rows, whole)
	require.Equal(t, whole, last)
	require.Equal(t, 1, result.Plan.Words())
}

// TestRankIsCancelled ends the context at each look in turn: there is no result, and no memory is lost.
func TestRankIsCancelled(t *testing.T) {
	keys := drawn(1, 150_000, shapes["half"])
	for look := 1; ; look++ {
		mem := newMeter(t)
		result, _, err := Rank(&watchedContext{Context: t.Context(), stopAt: look}, rankJob(keys, 1), TiesMax, mem)
		if err == nil {
			result.Release(mem)
			require.Greater(t, look, 10)
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, result)
		require.Zero(t, mem.CurrentAlloc(), "look %d", look)
	}
}
