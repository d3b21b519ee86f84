package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// sortableTypes returns the types that can be a key by themselves.
func sortableTypes() []arrow.DataType {
	var types []arrow.DataType
	for _, typ := range arrowtest.Types() {
		if adapter.Sortable(typ) {
			types = append(types, typ)
		}
	}
	text, float := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64
	inner := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}
	return append(types,
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, float),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, inner),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: inner})
}

// randomChunks returns chunks of a type with offsets into bytes and words of bitmaps; their dictionaries differ.
func randomChunks(rng *rand.Rand, mem memory.Allocator, typ arrow.DataType, nulls float64, rows ...int) []arrow.Array {
	offsets := []int{0, 1, 7, 31, 63}
	chunks := make([]arrow.Array, len(rows))
	for i, n := range rows {
		chunks[i] = arrowtest.RandomSlice(rng, typ, n, offsets[rng.IntN(len(offsets))], nulls, mem)
	}
	return chunks
}

func releaseAll(chunks []arrow.Array) {
	for _, c := range chunks {
		c.Release()
	}
}

func TestSortByEveryType(t *testing.T) {
	for seed, typ := range sortableTypes() {
		for _, nulls := range []float64{0, 0.3} {
			t.Run(fmt.Sprintf("%s/nulls=%g", typ, nulls), func(t *testing.T) {
				mem := arrowtest.Checked(t)
				rng := rand.New(rand.NewPCG(uint64(seed), 1))
				chunks := randomChunks(rng, mem, typ, nulls, 70, 0, 1, 65)
				defer releaseAll(chunks)
				data := arrow.NewChunked(typ, chunks)
				defer data.Release()
				column := texts(chunks...)
				for _, key := range allKeys("") {
					want := argsort([][]arrow.Array{chunks}, []arrowsort.Key{key})
					require.Equal(t, want, indices(t, mem, data, []arrowsort.Key{key}), "seed %d, %+v", seed, key)

					sorted, err := arrowsort.Sort(
						t.Context(), data, []arrowsort.Key{key}, arrowsort.Options{Allocator: mem},
					)
					require.NoError(t, err)
					got := texts(sorted.Chunks()...)
					sorted.Release()
					for i, row := range want {
						require.Equal(t, column[row], got[i], "seed %d, %+v, row %d", seed, key, i)
					}
				}
			})
		}
	}
}

// TestSortCarriesEveryType sorts a record and a table with a column of each type by an integer.
func TestSortCarriesEveryType(t *testing.T) {
	for seed, typ := range arrowtest.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			mem := arrowtest.Checked(t)
			rng := rand.New(rand.NewPCG(uint64(seed), 2))
			sizes := [][]int{{90}, {40, 0, 50}, {0}, {0, 0}}[rng.IntN(2)]
			for _, rows := range [][]int{sizes, {0}} {
				values := randomChunks(rng, mem, typ, 0.2, rows...)
				keyChunks := randomChunks(rng, mem, arrow.PrimitiveTypes.Int8, 0.1, rows...)
				tbl := array.NewTableFromSlice(arrow.NewSchema([]arrow.Field{
					{
						Name: "v", Type: typ, Nullable: true,
					}, {Name: "k", Type: arrow.PrimitiveTypes.Int8, Nullable: true}}, nil),
					[][]arrow.Array{values, keyChunks})
				checkCarried(t, mem, tbl, values, keyChunks)
				tbl.Release()
				rec := array.NewRecord(arrow.NewSchema([]arrow.Field{
					{
						Name: "v", Type: typ, Nullable: true,
					}, {Name: "k", Type: arrow.PrimitiveTypes.Int8, Nullable: true}}, nil),
					[]arrow.Array{values[0], keyChunks[0]}, int64(values[0].Len()))
				checkCarriedRecord(t, mem, rec, values[:1], keyChunks[:1])
				rec.Release()
				releaseAll(values)
				releaseAll(keyChunks)
			}
		})
	}
}

func checkCarried(t *testing.T, mem memory.Allocator, tbl arrow.Table, chunks, keyChunks []arrow.Array) {
	values := texts(chunks...)
	keys := []arrowsort.Key{{Path: "k", Order: arrowsort.Descending}}
	want := argsort([][]arrow.Array{keyChunks}, keys)
	for _, limit := range []int{0, 1, 17, 1000} {
		sorted, err := arrowsort.Sort(t.Context(), tbl, keys, arrowsort.Options{Allocator: mem, Limit: limit})
		require.NoError(t, err)
		require.True(t, sorted.Schema().Equal(tbl.Schema()))
		out := len(values)
		if limit > 0 {
			out = min(limit, out)
		}
		require.EqualValues(t, out, sorted.NumRows())
		require.Len(t, sorted.Column(0).Data().Chunks(), 1)
		got := texts(sorted.Column(0).Data().Chunks()...)
		for i := range out {
			require.Equal(t, values[want[i]], got[i], "limit %d, row %d", limit, i)
		}
		sorted.Release()
	}
}

func checkCarriedRecord(t *testing.T, mem memory.Allocator, rec arrow.Record, chunks, keyChunks []arrow.Array) {
	values := texts(chunks...)
	keys := []arrowsort.Key{{At: arrowsort.Column(1)}}
	want := argsort([][]arrow.Array{keyChunks}, keys)
	sorted, err := arrowsort.Sort(t.Context(), rec, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer sorted.Release()
	require.EqualValues(t, len(values), sorted.NumRows())
	got := texts(sorted.Column(0))
	for i, row := range want {
		require.Equal(t, values[row], got[i], "row %d", i)
	}
}

func TestSortFloats(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[1, null, 5, -0.0, 0.0]`)
	b := array.NewFloat64Builder(mem)
	nan := 0.0
	nan /= nan
	b.AppendValues([]float64{3, nan, 7, -nan}, nil)
	c := b.NewArray()
	b.Release()
	defer c.Release()
	data := chunked(t, a.DataType(), a, c)
	for i, want := range [][]uint64{
		{3, 4, 0, 5, 2, 7, 6, 8, 1}, {1, 6, 8, 3, 4, 0, 5, 2, 7}, {7, 2, 5, 0, 3, 4, 6, 8, 1},
		{1, 6, 8, 7, 2, 5, 0, 3, 4},
	} {
		require.Equal(t, want, indices(t, mem, data, allKeys("")[i:i+1]))
	}
}

func TestSortByManyKeys(t *testing.T) {
	types := sortableTypes()
	for seed := range uint64(150) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		rng := rand.New(rand.NewPCG(seed, 3))
		var arrays []arrow.Array
		var fields []arrow.Field
		var keys []arrowsort.Key
		var columns [][]arrow.Array
		rows := rng.IntN(200)
		for i := range 1 + rng.IntN(5) {
			typ := types[rng.IntN(len(types))]
			a := arrowtest.RandomSlice(rng, typ, rows, rng.IntN(70), rng.Float64()/2, mem)
			arrays = append(arrays, a)
			fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: typ, Nullable: true})
			key := allKeys(fields[i].Name)[rng.IntN(4)]
			keys = append(keys, key)
			columns = append(columns, []arrow.Array{a})
		}
		rec := array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(rows))
		require.Equal(
			t, argsort(columns, keys), indices(t, mem, rec, keys), "seed %d, %v, %+v", seed, rec.Schema(), keys,
		)
		rec.Release()
		releaseAll(arrays)
		mem.AssertSize(t, 0)
	}
}

func TestSortIndices32(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, 2]`)
	rows, err := arrowsort.SortIndices32(t.Context(), a, nil, arrowsort.Options{Allocator: mem, Limit: 2})
	require.NoError(t, err)
	defer rows.Release()
	require.Equal(t, []uint32{1, 2}, rows.Uint32Values())
}

func TestSortTellsPlanAndProgress(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, 2]`)
	var plan arrowsort.Plan
	done, total := 0, 0
	sorted, err := arrowsort.Sort(t.Context(), a, nil, arrowsort.Options{
		Allocator: mem, OnPlan: func(p arrowsort.Plan) { plan = p }, Progress: func(d, n int) { done, total = d, n },
	})
	require.NoError(t, err)
	defer sorted.Release()
	require.Contains(t, plan.String(), "int32")
	require.Positive(t, total)
	require.Equal(t, total, done)
}

func TestSortKeepsStaticTypes(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, 2]`).(*array.Int32)
	sorted, err := arrowsort.Sort(t.Context(), a, nil, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, []int32{1, 2, 3}, sorted.Int32Values())

	type foreign struct{ arrow.Record }
	_, err = arrowsort.Sort(
		t.Context(), foreign{record(t, []string{"a"}, a)}, []arrowsort.Key{{}}, arrowsort.Options{Allocator: mem},
	)
	require.ErrorIs(t, err, arrowsort.ErrOption)
}

func TestSortCancelled(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, 2]`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := arrowsort.Sort(ctx, a, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, context.Canceled)
	_, err = arrowsort.Take(ctx, a, a, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = arrowsort.IsSorted(ctx, a, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, context.Canceled)
}

// TestSortCancelledMidway cancels from the progress of a sort.
func TestSortCancelledMidway(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(1, 4))
	n := 400_000
	key := arrowtest.Random(rng, arrow.PrimitiveTypes.Int64, n, 0.1, mem)
	defer key.Release()
	text := arrowtest.Random(rng, arrow.BinaryTypes.String, n, 0.1, mem)
	defer text.Release()
	rec := record(t, []string{"k", "t"}, key, text)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := arrowsort.Sort(ctx, rec, []arrowsort.Key{{Path: "k"}}, arrowsort.Options{
		Allocator: mem, Progress: func(done, total int) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSortConcurrently(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(1, 5))
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	chunks := randomChunks(rng, mem, dict, 0.2, 300, 200)
	defer releaseAll(chunks)
	data := chunked(t, dict, chunks...)
	want := argsort([][]arrow.Array{chunks}, []arrowsort.Key{{}})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				rows, err := arrowsort.SortIndices(t.Context(), data, nil, arrowsort.Options{Allocator: mem})
				if err != nil {
					t.Error(err)
					return
				}
				got := append([]uint64{}, rows.Uint64Values()...)
				rows.Release()
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Error("wrong order")
				}
			}
		})
	}
	group.Wait()
}

func TestIsSorted(t *testing.T) {
	mem := arrowtest.Checked(t)
	i32 := arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		text string
		key  arrowsort.Key
		row  int
	}{
		{`[]`, arrowsort.Key{}, -1}, {`[1]`, arrowsort.Key{}, -1}, {`[1, 1, 2, null]`, arrowsort.Key{}, -1},
		{`[1, 1, 2, null]`, arrowsort.Key{Nulls: arrowsort.NullsAtStart}, 3},
		{`[1, 1, 2, null]`, arrowsort.Key{Order: arrowsort.Descending}, 2},
		{`[null, 3, 3, 2, 4]`, arrowsort.Key{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, 4},
		{`[2, 1, 0]`, arrowsort.Key{}, 1},
	} {
		a := fromJSON(t, mem, i32, c.text)
		sorted, row, err := arrowsort.IsSorted(t.Context(), chunked(t, i32, a), []arrowsort.Key{c.key},
			arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, c.row, row, "%+v", c)
		require.Equal(t, c.row < 0, sorted, "%+v", c)
	}
	_, row, err := arrowsort.IsSorted(
		t.Context(), fromJSON(t, mem, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[]`), nil,
		arrowsort.Options{Allocator: mem},
	)
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
	require.Equal(t, -1, row)
}

func TestExplain(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(
		t, []string{"delay", "name"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[5, 1030, 7]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["a", "b", null]`),
	)
	plan, err := arrowsort.Explain(
		t.Context(), rec, []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "name"}},
		arrowsort.Options{Allocator: mem},
	)
	require.NoError(t, err)
	require.Contains(t, plan.String(), "delay")
	require.Contains(t, plan.String(), "int64")
	require.Contains(t, plan.String(), "name")
	_, err = arrowsort.Explain(t.Context(), rec, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
}
