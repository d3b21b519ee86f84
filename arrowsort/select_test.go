package arrowsort_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

func TestSelectKPerGroup(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"g", "v"}, fromJSON(t, mem, arrow.BinaryTypes.String, `["b", null, "a", "b", "b", null]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1, 5, 7, 3, 3, 4]`))
	g, v := arrowsort.Key{Path: "g"}, arrowsort.Key{Path: "v", Order: arrowsort.Descending}
	for _, c := range []struct {
		groups, keys []arrowsort.Key
		k            int
		want         []uint64
	}{
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 1, []uint64{2, 3, 1}},
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 2, []uint64{2, 3, 4, 1, 5}},
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 9, []uint64{2, 3, 4, 0, 1, 5}},
		{[]arrowsort.Key{g}, nil, 2, []uint64{2, 0, 3, 1, 5}},
		{[]arrowsort.Key{g, v}, nil, 1, []uint64{2, 3, 0, 1, 5}},
		{[]arrowsort.Key{g, v}, []arrowsort.Key{v}, 1, []uint64{2, 3, 0, 1, 5}},
	} {
		opts := arrowsort.Options{Allocator: mem}
		rows, err := arrowsort.SelectKPerGroup(t.Context(), rec, c.groups, c.keys, c.k, opts)
		require.NoError(t, err)
		require.Equal(t, c.want, slices.Clone(rows.Uint64Values()), "%+v", c)
		rows.Release()
	}
}

// TestSelectKPerGroupOfManyRows has groups that are longer than what one worker handles.
func TestSelectKPerGroupOfManyRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	const n = 300_000
	b := array.NewInt8Builder(mem)
	defer b.Release()
	for i := range n {
		b.Append(int8(i % 3))
	}
	a := b.NewArray()
	defer a.Release()
	for _, k := range []int{1, 70_000, n} {
		rows, err := arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, nil, k,
			arrowsort.Options{Allocator: mem, Threads: 2})
		require.NoError(t, err)
		require.Equal(t, 3*min(k, n/3), rows.Len())
		for i, row := range rows.Uint64Values() {
			group, place := i/min(k, n/3), i%min(k, n/3)
			require.EqualValues(t, group+3*place, row)
		}
		rows.Release()
	}
}

// TestSelectKPerGroupIsAFilterOfTheSortedOrder has few and many groups, of all sizes, keys that tie, nulls and strings:
// the selected rows are the first k of each group of a sort.
func TestSelectKPerGroupIsAFilterOfTheSortedOrder(t *testing.T) {
	mem := arrowtest.Checked(t)
	const n = 120_000
	r := rand.New(rand.NewPCG(testrun.Seed(), 9))
	for _, typ := range testrun.Sample(2, []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64}) {
		for _, groups := range testrun.Sample(3, []int{1, 7, 500, 30_000}) {
			group, long := array.NewInt64Builder(mem), array.NewInt64Builder(mem)
			for range n {
				g := int64(min(r.IntN(groups), r.IntN(groups))) // some are larger than others
				group.AppendValues([]int64{g}, []bool{g != 3})
				long.Append(g * (math.MaxInt64 / int64(groups))) // leaves no room for the key in a word
			}
			values := arrowtest.RandomSlice(r, typ, n, 1+r.IntN(3*n), 0.1, mem)
			columns := []arrow.Array{group.NewArray(), long.NewArray(), values}
			rec := record(t, []string{"g", "long", "v"}, columns...)
			group.Release()
			long.Release()
			for _, c := range columns {
				c.Release()
			}
			for _, c := range []struct {
				groups []arrowsort.Key
				order  arrowsort.Order
			}{
				{[]arrowsort.Key{{Path: "g"}}, arrowsort.Ascending},
				{[]arrowsort.Key{{Path: "g", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}},
					arrowsort.Descending},
				{[]arrowsort.Key{{Path: "long"}}, arrowsort.Ascending},
				{[]arrowsort.Key{{Path: "g"}, {Path: "long"}}, arrowsort.Descending},
			} {
				requireFirstOfGroups(t, mem, rec, c.groups, []arrowsort.Key{{Path: "v", Order: c.order}})
			}
		}
	}
}

// requireFirstOfGroups compares the first rows of each group with those of a sort, for several k.
func requireFirstOfGroups(t *testing.T, mem memory.Allocator, rec arrow.Record, groups, keys []arrowsort.Key) {
	opts := arrowsort.Options{Allocator: mem}
	sorted := indices(t, mem, rec, slices.Concat(groups, keys))
	dense, err := arrowsort.Rank(t.Context(), rec, groups, arrowsort.TiesDense, opts)
	require.NoError(t, err)
	defer dense.Release()
	for _, k := range []int{1, 3, 10, 1000, math.MaxInt} {
		var want []uint64
		last, count := uint64(0), 0
		for _, row := range sorted {
			if group := dense.Value(int(row)); group != last {
				last, count = group, 0
			}
			if count++; count <= k {
				want = append(want, row)
			}
		}
		rows, err := arrowsort.SelectKPerGroup(t.Context(), rec, groups, keys, k, opts)
		require.NoError(t, err)
		require.True(t, slices.Equal(want, rows.Uint64Values()), "k is %d, %v, %v", k, groups, keys)
		rows.Release()
	}
}

// TestSelectKPerGroupOfOneGroup groups by a struct without fields: all rows tie.
func TestSelectKPerGroupOfOneGroup(t *testing.T) {
	mem := arrowtest.Checked(t)
	const n = 40_000
	r := rand.New(rand.NewPCG(testrun.Seed(), 10))
	values := arrowtest.RandomSlice(r, arrow.PrimitiveTypes.Int64, n, n, 0, mem)
	defer values.Release()
	nothing := array.NewData(arrow.StructOf(), n, []*memory.Buffer{nil}, nil, 0, 0)
	defer nothing.Release()
	group := array.NewStructData(nothing)
	defer group.Release()
	rec := record(t, []string{"g", "v"}, group, values)
	rows, err := arrowsort.SelectKPerGroup(t.Context(), rec, []arrowsort.Key{{Path: "g"}}, []arrowsort.Key{{Path: "v"}},
		5, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer rows.Release()
	require.Equal(t, indices(t, mem, rec, []arrowsort.Key{{Path: "v"}})[:5], rows.Uint64Values())
}

func TestSelectKPerGroupErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	opts := arrowsort.Options{Allocator: mem}
	_, err := arrowsort.SelectKPerGroup(t.Context(), a, nil, []arrowsort.Key{{}}, 1, opts)
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	_, err = arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, nil, 0, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "k is 0")
	_, err = arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, []arrowsort.Key{{Path: "x"}}, 1, opts)
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

// The longest delay of each origin.
func ExampleSelectKPerGroup() {
	rec := flights()
	defer rec.Release()
	ctx, opts := context.Background(), arrowsort.Options{}
	rows, err := arrowsort.SelectKPerGroup(ctx, rec, []arrowsort.Key{{Path: "origin"}},
		[]arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}, 1, opts)
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	longest, err := arrowsort.Take(ctx, rec, rows, opts)
	if err != nil {
		panic(err)
	}
	defer longest.Release()
	fmt.Println(longest.Column(0), longest.Column(1))
	// Output: ["JFK" "OAK" "SEA"] [40 (null) 12]
}

// TestPartitionNth sorts up to nth and has every row once, for every nth: few of the rows, and many.
func TestPartitionNth(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[2, "NaN", null, 4, "NaN", -1, null, 2]`)
	for _, key := range allKeys("") {
		keys := []arrowsort.Key{key}
		sorted := indices(t, mem, a, keys)
		for nth := range a.Len() + 1 {
			rows, err := arrowsort.PartitionNth(t.Context(), a, keys, nth, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			got := slices.Clone(rows.Uint64Values())
			rows.Release()
			if nth < a.Len() {
				require.Equal(t, sorted[:nth+1], got[:nth+1], "%+v, nth is %d", key, nth)
			}
			slices.Sort(got)
			require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7}, got)
		}
	}
}

func TestPartitionNthOfManyRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	const n = 150_000
	b := array.NewUint32Builder(mem)
	defer b.Release()
	for i := range uint32(n) {
		b.Append(i * 2_654_435_761 % 40_000)
	}
	a := b.NewArray()
	defer a.Release()
	sorted := indices(t, mem, a, nil)
	for _, nth := range []int{0, 1000, n/4 - 1, n / 4, n - 1} {
		rows, err := arrowsort.PartitionNth(t.Context(), a, nil, nth, arrowsort.Options{Allocator: mem, Threads: 2})
		require.NoError(t, err)
		got := slices.Clone(rows.Uint64Values())
		rows.Release()
		require.True(t, slices.Equal(sorted[:nth+1], got[:nth+1]), "nth is %d", nth)
		slices.Sort(got)
		for i, row := range got {
			require.EqualValues(t, i, row)
		}
	}
}

// TestPartitionNthSortsFewRows: the engine is asked for no more rows than are sorted, unless these are many.
func TestPartitionNthSortsFewRows(t *testing.T) {
	a := fromJSON(t, arrowtest.Checked(t), arrow.PrimitiveTypes.Int8, `[5, 4, 3, 2, 1, 0, 6, 7]`)
	for nth, limit := range map[int]int{0: 1, 1: 2, 2: 0, 7: 0} {
		f := &failing{err: engine.ErrMemory}
		_, err := arrowsort.PartitionNth(t.Context(), a, nil, nth, arrowsort.Options{Engine: f})
		require.ErrorIs(t, err, engine.ErrMemory)
		require.Equal(t, limit, f.job.Limit, "nth is %d", nth)
	}
}

func TestPartitionNthErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	for _, nth := range []int{-1, 3} {
		_, err := arrowsort.PartitionNth(t.Context(), a, nil, nth, arrowsort.Options{Allocator: mem})
		require.ErrorIs(t, err, arrowsort.ErrIndex)
		require.EqualError(t, err,
			fmt.Sprintf("arrowsort: invalid row number: nth is %d, the data has 2 rows", nth))
	}
	_, err := arrowsort.PartitionNth(
		t.Context(), a, []arrowsort.Key{{At: arrowsort.Column(1)}}, 2, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrColumn, "keys are checked when nothing is sorted, too")
}

// The median delay.
func ExamplePartitionNth() {
	rec := flights()
	defer rec.Release()
	delays := rec.Column(1)
	rows, err := arrowsort.PartitionNth(context.Background(), delays, nil, 1, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	fmt.Println(delays.ValueStr(int(rows.Value(1))))
	// Output: 12
}
