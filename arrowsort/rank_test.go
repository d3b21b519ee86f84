package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// allTies are the tie breakers, in the order of the ranks of rankCases.
var allTies = []arrowsort.TieBreaker{
	arrowsort.TiesMin, arrowsort.TiesMax, arrowsort.TiesFirst, arrowsort.TiesDense,
}

// rankCases are what pyarrow 26.0.1 returns, in the order of allKeys and allTies.
var rankCases = []struct {
	typ  arrow.DataType
	json string
	want [4][4][]uint64
}{
	{arrow.PrimitiveTypes.Float64, `[2, "NaN", null, 4, "NaN", -1, null, 2]`, [4][4][]uint64{
		{{2, 5, 7, 4, 5, 1, 7, 2}, {3, 6, 8, 4, 6, 1, 8, 3}, {2, 5, 7, 4, 6, 1, 8, 3}, {2, 4, 5, 3, 4, 1, 5, 2}},
		{{6, 3, 1, 8, 3, 5, 1, 6}, {7, 4, 2, 8, 4, 5, 2, 7}, {6, 3, 1, 8, 4, 5, 2, 7}, {4, 2, 1, 5, 2, 3, 1, 4}},
		{{2, 5, 7, 1, 5, 4, 7, 2}, {3, 6, 8, 1, 6, 4, 8, 3}, {2, 5, 7, 1, 6, 4, 8, 3}, {2, 4, 5, 1, 4, 3, 5, 2}},
		{{6, 3, 1, 5, 3, 8, 1, 6}, {7, 4, 2, 5, 4, 8, 2, 7}, {6, 3, 1, 5, 4, 8, 2, 7}, {4, 2, 1, 3, 2, 5, 1, 4}},
	}},
	{arrow.BinaryTypes.String, `["b", null, "a", "b", "", null, "ab"]`, [4][4][]uint64{
		{{4, 6, 2, 4, 1, 6, 3}, {5, 7, 2, 5, 1, 7, 3}, {4, 6, 2, 5, 1, 7, 3}, {4, 5, 2, 4, 1, 5, 3}},
		{{6, 1, 4, 6, 3, 1, 5}, {7, 2, 4, 7, 3, 2, 5}, {6, 1, 4, 7, 3, 2, 5}, {5, 1, 3, 5, 2, 1, 4}},
		{{1, 6, 4, 1, 5, 6, 3}, {2, 7, 4, 2, 5, 7, 3}, {1, 6, 4, 2, 5, 7, 3}, {1, 5, 3, 1, 4, 5, 2}},
		{{3, 1, 6, 3, 7, 1, 5}, {4, 2, 6, 4, 7, 2, 5}, {3, 1, 6, 4, 7, 2, 5}, {2, 1, 4, 2, 5, 1, 3}},
	}},
}

func ranks(
	t *testing.T, data arrowsort.Data, keys []arrowsort.Key, ties arrowsort.TieBreaker, opts arrowsort.Options,
) []uint64 {
	got, err := arrowsort.Rank(t.Context(), data, keys, ties, opts)
	require.NoError(t, err)
	defer got.Release()
	require.Zero(t, got.NullN())
	return slices.Clone(got.Uint64Values())
}

// TestRankIsThatOfArrow ranks arrays, and chunked arrays cut at every place, as Arrow C++ does.
func TestRankIsThatOfArrow(t *testing.T) {
	mem := arrowtest.Checked(t)
	opts := arrowsort.Options{Allocator: mem}
	for _, c := range rankCases {
		a := fromJSON(t, mem, c.typ, c.json)
		for i, key := range allKeys("") {
			for k, ties := range allTies {
				keys := []arrowsort.Key{key}
				require.Equal(t, c.want[i][k], ranks(t, a, keys, ties, opts), "%s %+v %d", c.typ, key, ties)
				for cut := range a.Len() + 1 {
					require.Equal(t, c.want[i][k], ranks(t, cutIn2(t, a, cut), keys, ties, opts), "cut at %d", cut)
				}
			}
			average, err := arrowsort.RankAverage(t.Context(), a, []arrowsort.Key{key}, opts)
			require.NoError(t, err)
			for row, rank := range average.Float64Values() {
				require.Equal(t, float64(c.want[i][0][row]+c.want[i][1][row])/2, rank, "%s %+v", c.typ, key)
			}
			average.Release()
		}
	}
}

// cutIn2 returns an array as two chunks.
func cutIn2(t *testing.T, a arrow.Array, at int) *arrow.Chunked {
	head, tail := array.NewSlice(a, 0, int64(at)), array.NewSlice(a, int64(at), int64(a.Len()))
	defer head.Release()
	defer tail.Release()
	return chunked(t, a.DataType(), head, tail)
}

// TestRankBySeveralKeys: rows tie only when they tie in all keys.
func TestRankBySeveralKeys(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "b"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1, 2, 1, 2]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["x", null, "y", "x", "x"]`))
	keys := []arrowsort.Key{{Path: "a", Order: arrowsort.Descending}, {Path: "b", Nulls: arrowsort.NullsAtStart}}
	opts := arrowsort.Options{Allocator: mem}
	require.Equal(t, []uint64{1, 4, 3, 5, 1}, ranks(t, rec, keys, arrowsort.TiesMin, opts))
	require.Equal(t, []uint64{1, 3, 2, 4, 1}, ranks(t, rec, keys, arrowsort.TiesDense, opts))
	require.Equal(t, []uint64{1, 4, 3, 5, 2}, ranks(t, rec, keys, arrowsort.TiesFirst, opts))
	require.Equal(t, []uint64{2, 4, 3, 5, 2}, ranks(t, rec, keys, arrowsort.TiesMax, opts))
}

func TestRankOfNothing(t *testing.T) {
	mem := arrowtest.Checked(t)
	empty := chunked(t, arrow.PrimitiveTypes.Float64)
	for _, ties := range allTies {
		require.Empty(t, ranks(t, empty, nil, ties, arrowsort.Options{Allocator: mem}))
	}
	nulls := array.NewNull(3)
	defer nulls.Release()
	require.Equal(t, []uint64{3, 3, 3}, ranks(t, nulls, nil, arrowsort.TiesMax, arrowsort.Options{Allocator: mem}))
}

// TestRankByAStructWithoutFields: all rows tie.
func TestRankByAStructWithoutFields(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.StructOf(), `[{}, null, {}]`)
	opts := arrowsort.Options{Allocator: mem}
	require.Equal(t, []uint64{1, 1, 1}, ranks(t, a, nil, arrowsort.TiesMin, opts))
	require.Equal(t, []uint64{1, 2, 3}, ranks(t, a, nil, arrowsort.TiesFirst, opts))
}

func TestRankErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	opts := arrowsort.Options{Allocator: mem}
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	_, err := arrowsort.Rank(t.Context(), a, nil, 4, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.EqualError(t, err,
		"arrowsort: invalid argument: tie breaker 4; give one of the TieBreaker constants")
	rec := record(t, []string{"l"}, fromJSON(t, mem, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[[], null]`))
	_, err = arrowsort.Rank(t.Context(), rec, []arrowsort.Key{{Path: "l"}}, arrowsort.TiesMin, opts)
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
	_, err = arrowsort.RankAverage(t.Context(), rec, nil, opts)
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	f := &failing{err: engine.ErrMemory}
	_, err = arrowsort.Rank(t.Context(), a, nil, arrowsort.TiesMin, arrowsort.Options{Allocator: mem, Engine: f})
	require.ErrorIs(t, err, engine.ErrMemory, "the engine of the options sorts")
	require.Equal(t, 4, f.job.RowNumbers)
}

// TestRankReportsItsPlan once, whichever way it ranks.
func TestRankReportsItsPlan(t *testing.T) {
	mem := arrowtest.Checked(t)
	many := arrowtest.Random(rand.New(rand.NewPCG(1, 15)), arrow.PrimitiveTypes.Int16, 40_000, 0.1, mem)
	defer many.Release()
	for _, rows := range []int{100, 40_000} {
		some := array.NewSlice(many, 0, int64(rows))
		plans, last, whole := 0, 0, 0
		opts := arrowsort.Options{Allocator: mem, OnPlan: func(plan arrowsort.Plan) {
			plans++
			require.Contains(t, plan.String(), "int16")
		}, Progress: func(done, total int) {
			require.GreaterOrEqual(t, done, last)
			last, whole = done, total
		}}
		require.Len(t, ranks(t, some, nil, arrowsort.TiesMin, opts), rows)
		some.Release()
		require.Equal(t, 1, plans)
		require.Positive(t, whole)
		require.Equal(t, whole, last)
	}
}

// otherEngine is not the engine that sorts by default.
type otherEngine struct{ engine.Engine }

// TestRankOfManyRows compares the two ways to rank: by the partition of the CPU, and by the row numbers of an engine.
func TestRankOfManyRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	const n = 200_000
	b := array.NewInt64Builder(mem)
	defer b.Release()
	for i := range int64(n) {
		switch i % 5 {
		case 0:
			b.AppendNull()
		case 1, 2:
			b.Append(7) // longer than one worker sorts
		default:
			b.Append(i * 7919 % 30_011)
		}
	}
	a := b.NewArray()
	defer a.Release()
	for _, key := range allKeys("") {
		for _, ties := range allTies {
			if !testrun.Share(3, key, ties) {
				continue
			}
			keys := []arrowsort.Key{key}
			want := ranks(t, a, keys, ties, arrowsort.Options{Allocator: mem, Engine: otherEngine{cpu.New()}})
			for _, threads := range []int{1, 2, 3} {
				got := ranks(t, a, keys, ties, arrowsort.Options{Allocator: mem, Threads: threads})
				require.True(t, slices.Equal(want, got), "%+v, tie breaker %d, %d threads", key, ties, threads)
			}
		}
	}
}

func ExampleRank() {
	rec := flights()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "origin"}}
	ranks, err := arrowsort.Rank(context.Background(), rec, keys, arrowsort.TiesMin, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer ranks.Release()
	fmt.Println(rec.Column(0))
	fmt.Println(ranks)
	// Output:
	// ["SEA" "OAK" "JFK" "SEA"]
	// [3 2 1 3]
}

func ExampleRankAverage() {
	rec := flights()
	defer rec.Release()
	ranks, err := arrowsort.RankAverage(context.Background(), rec.Column(0), nil, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer ranks.Release()
	fmt.Println(ranks)
	// Output: [3.5 2 1 3.5]
}
