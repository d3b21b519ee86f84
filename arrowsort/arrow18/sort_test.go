package arrow18_test

import (
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// The result has the static type of the data.
func TestTypesOfResults(t *testing.T) {
	a := fromJSON(t, memory.DefaultAllocator, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	rec := record(t, []string{"a"}, a)
	numbers, err := arrow18.Sort(t.Context(), a.(*array.Int8), nil, arrow18.Options{})
	require.NoError(t, err)
	require.Equal(t, []int8{1, 2}, numbers.Int8Values())
	batch, err := arrow18.Sort(t.Context(), rec, by("a"), arrow18.Options{})
	require.NoError(t, err)
	require.Equal(t, numbers.String(), batch.Column(0).String())
	chunked, err := arrow18.Sort(t.Context(), arrow.NewChunked(a.DataType(), []arrow.Array{a, a}), nil,
		arrow18.Options{})
	require.NoError(t, err)
	require.Equal(t, "[1 1 2 2]", chunked.Chunk(0).String())

	_, err = arrow18.Sort(t.Context(), own{rec}, by("a"), arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "not a arrow18_test.own")
}

// own is a type of data that is foreign to Arrow.
type own struct{ arrow.RecordBatch }

func TestOptions(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1, 3]`)
	var plan arrowsort.Plan
	steps := 0
	rows, err := arrow18.SortIndices(t.Context(), a, nil, arrow18.Options{Allocator: mem, Limit: 2, Threads: 1,
		OnPlan: func(p arrowsort.Plan) { plan = p }, Progress: func(int, int) { steps++ }})
	require.NoError(t, err)
	defer rows.Release()
	require.Equal(t, []uint64{1, 0}, rows.Uint64Values())
	require.Contains(t, plan.String(), "int8")
	require.NotZero(t, steps)
	sorted, row, err := arrow18.IsSorted(t.Context(), rows, nil, arrow18.Options{Threads: 1})
	require.NoError(t, err)
	require.False(t, sorted)
	require.Equal(t, 1, row)
	_, _, err = arrow18.IsSorted(t.Context(), rows, nil, arrow18.Options{Limit: 1})
	require.ErrorIs(t, err, arrowsort.ErrOption)
}

// Results that nobody gave an allocator for come from v18's default.
func TestDefaultAllocator(t *testing.T) {
	mem := arrowtest.Checked(t)
	before := memory.DefaultAllocator
	defer func() { memory.DefaultAllocator = before }()
	memory.DefaultAllocator = mem
	rows, err := arrow18.SortIndices(t.Context(), array.NewNull(3), nil, arrow18.Options{})
	require.NoError(t, err)
	require.NotZero(t, mem.CurrentAlloc())
	rows.Release()
}

func TestConcurrentCalls(t *testing.T) {
	for seed := range uint64(60) {
		tbl := newTable(seed, memory.NewGoAllocator())
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				rows, err := arrow18.SortIndices(t.Context(), tbl.data, tbl.keys, arrow18.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer rows.Release()
				sorted, err := arrow18.Take(t.Context(), tbl.data, rows, arrow18.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer sorted.Release()
				inOrder, row, err := arrow18.IsSorted(t.Context(), sorted, tbl.keys, arrow18.Options{})
				if err != nil || !inOrder {
					t.Errorf("%s: row %d is not in order, %v", tbl.text, row, err)
				}
			})
		}
		calls.Wait()
		tbl.release()
	}
}

// TestCollation sorts text of v18 in the order of a language.
func TestCollation(t *testing.T) {
	mem := arrowtest.Checked(t)
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.StringView} {
		rec := record(t, []string{"a"}, fromJSON(t, mem, typ, `["Z", null, "ärger", "Arm"]`))
		keys := []arrowsort.Key{{Path: "a", Collation: arrowsort.Locale("de", arrowsort.LocaleOptions{})}}
		rows, err := arrow18.SortIndices(t.Context(), rec, keys, arrow18.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, []uint64{2, 3, 0, 1}, rows.Uint64Values())
		rows.Release()
		keys[0].Collation = "xx"
		_, err = arrow18.SortIndices(t.Context(), rec, keys, arrow18.Options{Allocator: mem})
		require.ErrorIs(t, err, arrowsort.ErrOption)
	}
}

// TestFunctions sorts columns of v18 by functions: decimal32, which v15 lacks, is an error of those that take integers.
func TestFunctions(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"s", "d"}, fromJSON(t, mem, arrow.BinaryTypes.StringView, `["b", "A", null, "a"]`),
		fromJSON(t, mem, &arrow.Decimal32Type{Precision: 5, Scale: 1}, `["-4.0", "1.5", "0.5", null]`))
	for key, want := range map[arrowsort.Key][]uint64{
		{Path: "s", Function: arrowsort.Lower}:    {1, 3, 0, 2},
		{Path: "d", Function: arrowsort.Abs}:      {2, 1, 0, 3},
		{Function: arrowsort.Random(42)}:          {3, 1, 0, 2},
		{Path: "s", Function: arrowsort.Hash(11)}: {3, 0, 1, 2},
	} {
		rows, err := arrow18.SortIndices(t.Context(), rec, []arrowsort.Key{key}, arrow18.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, want, rows.Uint64Values(), key)
		rows.Release()
	}
	keys := []arrowsort.Key{{Path: "d", Function: arrowsort.Modulo(2)}}
	_, err := arrow18.SortIndices(t.Context(), rec, keys, arrow18.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "% takes integers")
}
