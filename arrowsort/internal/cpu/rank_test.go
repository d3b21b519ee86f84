package cpu

import (
	"cmp"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
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

// TestRank ranks keys of every distribution. Those in order, or in falling order, are left to a sort.
func TestRank(t *testing.T) {
	const n = 150_000
	ranked := 0
	for name, shape := range shapes {
		keys := drawn(1, n, shape)
		for text, ties := range allTies {
			mem := newMeter(t)
			result, err := Rank(t.Context(), rankJob(keys, 2), ties, mem)
			require.NoError(t, err)
			if result == nil {
				s := newTestSorter(t, rankJob(keys, 2))
				inOrder, reversed, err := s.sortedInput()
				require.NoError(t, err)
				require.True(t, inOrder || reversed, name)
				continue
			}
			ranked++
			requireSame(t, ranksOf(keys, ties), view[uint64](result.RowNumbers), "%s, %s", name, text)
			result.Release(mem)
			require.LessOrEqual(t, mem.most, n*(8+10+4)+4*maxBinRows*28+1<<20, "%s, %s: memory", name, text)
		}
	}
	require.GreaterOrEqual(t, ranked, 5*5, "distributions that are ranked")
}

// TestRankIsLeftToASort: few rows, and keys whose codes take several words.
func TestRankIsLeftToASort(t *testing.T) {
	mem := newMeter(t)
	few := rankJob(drawn(1, smallRows, uniform), 2)
	wide := rankJob(drawn(1, 2*smallRows, uniform), 2)
	wide.Columns = append(wide.Columns, uint64Column(drawn(2, 2*smallRows, uniform)))
	wide.Keys = append(wide.Keys, keyencode.Key{Column: 1})
	for _, job := range []*engine.Job{few, wide} {
		result, err := Rank(t.Context(), job, TiesMin, mem)
		require.NoError(t, err)
		require.Nil(t, result)
	}
}

// TestRankLongBin ranks the rows of a bin that are too many for one worker, and do not all tie.
func TestRankLongBin(t *testing.T) {
	const n = 200_000
	for _, few := range []uint64{1, 5, math.MaxUint64} {
		keys := drawn(3, n, uniform)
		for i := range keys {
			keys[i] %= few
		}
		for text, ties := range allTies {
			s := newTestSorter(t, rankJob(drawn(1, n, uniform), 2))
			codes := append([]uint64{}, keys...)
			groups, err := (&partition{sorter: s}).rankLongBin(codes, ties)
			require.NoError(t, err)
			for i, rank := range codes {
				codes[i] = ties.Value(rank)
			}
			requireSame(t, ranksOf(keys, ties), codes, "%d different keys, %s", few, text)
			require.LessOrEqual(t, uint64(groups), few)
			require.Empty(t, s.live, "temp storage that is not back")
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
	result, err := Rank(t.Context(), job, TiesDense, mem)
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
		result, err := Rank(&watchedContext{Context: t.Context(), stopAt: look}, rankJob(keys, 1), TiesMax, mem)
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
