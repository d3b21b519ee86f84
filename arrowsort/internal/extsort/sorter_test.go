package extsort

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var (
	least = Budget{Total: MinMemory, All: MinMemory}
	byKey = []arrowsort.Key{{Path: "key"}}
)

// newSorter is New with options that are not resolved; the budget is 1 GiB if there is none.
func newSorter(t *testing.T, ctx context.Context, schema *arrow.Schema, opts Options) (*Sorter, error) {
	opts.Budget = cmp.Or(opts.Budget, Budget{Total: 1 << 30, All: 1 << 30})
	require.NoError(t, opts.Resolve())
	return New(ctx, schema, opts)
}

// sortBatches writes batches to a sorter and compares what comes back with a stable sort of all of them in memory.
func sortBatches(t *testing.T, opts Options, fan int, schema *arrow.Schema, batches int,
	make func(mem memory.Allocator, batch int) arrow.Record) *Sorter {
	t.Helper()
	mem := arrowtest.Checked(t)
	opts.Allocator, opts.SpillDir = mem, t.TempDir()
	s, err := newSorter(t, t.Context(), schema, opts)
	require.NoError(t, err)
	defer s.Close()
	if fan > 0 {
		s.store.fanIn = fan
	}
	var all []arrow.Record
	for i := range batches {
		rec := make(mem, i)
		defer rec.Release()
		all = append(all, rec)
		require.NoError(t, s.Write(rec))
	}
	r, err := s.Sorted()
	require.NoError(t, err)
	defer r.Release()
	var got []arrow.Record
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		defer rec.Release()
		if opts.BatchRows > 0 {
			require.LessOrEqual(t, rec.NumRows(), int64(opts.BatchRows))
		}
		got = append(got, rec)
	}
	require.NoError(t, r.Err())

	table := array.NewTableFromRecords(schema, all)
	defer table.Release()
	want, err := arrowsort.Sort(t.Context(), table, opts.Keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer want.Release()
	result := array.NewTableFromRecords(s.Schema(), got)
	defer result.Release()
	requireRows(t, want, result)
	require.NoError(t, s.Close())
	left, err := os.ReadDir(opts.SpillDir)
	require.NoError(t, err)
	require.Empty(t, left)
	return s
}

// requireRows compares tables row by row by the numbers in their last columns, and their checksums.
func requireRows(t *testing.T, want, got arrow.Table) {
	t.Helper()
	numbers := func(table arrow.Table) (rows []int64, d sorttest.Digest) {
		r := array.NewTableReader(table, -1)
		defer r.Release()
		for r.Next() {
			rows = append(rows, r.Record().Column(int(table.NumCols())-1).(*array.Int64).Int64Values()...)
			d.Add(r.Record())
		}
		return rows, d
	}
	wantRows, wantDigest := numbers(want)
	gotRows, gotDigest := numbers(got)
	require.Equal(t, wantRows, gotRows)
	require.Equal(t, wantDigest, gotDigest)
}

func numberBatches(seed uint64, rows int) func(mem memory.Allocator, batch int) arrow.Record {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(mem memory.Allocator, batch int) arrow.Record { return sorttest.Numbers(mem, r, batch*rows, rows) }
}

func TestSorterMergesRuns(t *testing.T) {
	keys := []arrowsort.Key{{Path: "x", Order: arrowsort.Descending}, {Path: "key"}}
	s := sortBatches(t, Options{Keys: keys, Budget: least, BatchRows: 30_000}, 0,
		sorttest.NumbersSchema, 10, numberBatches(1, 60_000))
	require.Greater(t, len(s.store.runs), 1)
}

func TestSorterMergesInSeveralPasses(t *testing.T) {
	for _, fan := range testrun.Sample(2, []int{2, 3}) {
		s := sortBatches(t, Options{Keys: byKey, Budget: least}, fan, sorttest.NumbersSchema, 12,
			numberBatches(2, 100_000))
		require.LessOrEqual(t, len(s.store.runs), fan)
	}
}

func TestSorterOfTies(t *testing.T) {
	rows := numberBatches(3, 100_000)
	sortBatches(t, Options{Keys: []arrowsort.Key{{Path: "key"}}, Budget: least}, 0, sorttest.NumbersSchema, 6,
		func(mem memory.Allocator, batch int) arrow.Record {
			rec := rows(mem, batch)
			defer rec.Release()
			nulls := array.MakeArrayOfNull(mem, arrow.PrimitiveTypes.Int64, int(rec.NumRows()))
			defer nulls.Release()
			same, err := rec.SetColumn(0, nulls)
			require.NoError(t, err)
			return same
		})
}

func TestSorterInMemory(t *testing.T) {
	for _, batches := range []int{0, 1, 3} {
		s := sortBatches(t, Options{Keys: byKey, BatchRows: 700}, 0, sorttest.NumbersSchema, batches,
			numberBatches(4, 1000))
		require.Empty(t, s.store.runs)
	}
}

func TestSorterOfDictionaries(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	keys := []arrowsort.Key{{Path: "word", Order: arrowsort.Descending}, {Path: "at"}}
	s := sortBatches(t, Options{Keys: keys, Budget: least, SpillCompression: "lz4"}, 0, sorttest.MixedSchema, 10,
		func(mem memory.Allocator, batch int) arrow.Record { return sorttest.Mixed(mem, r, batch*9000, 9000) })
	require.Greater(t, len(s.store.runs), 1)
	require.Equal(t, arrow.BinaryTypes.String, s.Schema().Field(1).Type)
}

func TestSorterRefuses(t *testing.T) {
	_, err := newSorter(t, t.Context(), sorttest.NumbersSchema, Options{Keys: []arrowsort.Key{{Path: "none"}}})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := newSorter(t, ctx, sorttest.NumbersSchema, Options{Keys: byKey})
	require.NoError(t, err)
	defer s.Close()
	other := sorttest.Mixed(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, 1)
	require.ErrorIs(t, s.Write(other), arrowsort.ErrSchema)
	rec := numberBatches(1, 10)(memory.DefaultAllocator, 0)
	require.NoError(t, s.Write(rec))
	cancel()
	require.ErrorIs(t, s.Write(rec), context.Canceled)
	_, err = s.Sorted()
	require.ErrorIs(t, err, context.Canceled, "a failed sorter stays failed")
}

// TestSorterOfAnExtensionOverNull takes slices, of whose columns Arrow cannot count the nulls.
func TestSorterOfAnExtensionOverNull(t *testing.T) {
	typ := arrowtest.NewExtension(arrow.Null)
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64},
		{Name: "v", Type: typ, Nullable: true}}, nil)
	s, err := newSorter(t, t.Context(), schema, Options{Keys: []arrowsort.Key{{Path: "k"}}, BatchRows: 7,
		SpillDir: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	k := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), schema.Field(0).Type, 40, 0, memory.DefaultAllocator)
	v := array.NewExtensionArrayWithStorage(typ, array.NewNull(40))
	rec := array.NewRecord(schema, []arrow.Array{k, v}, 40)
	require.NoError(t, s.Write(rec.NewSlice(0, 30)))
	require.NoError(t, s.Write(rec.NewSlice(30, 40)))
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	rows := 0
	for sorted.Next() {
		rows += sorted.Record().Column(1).NullN()
	}
	require.NoError(t, sorted.Err())
	require.Equal(t, 40, rows)
}

// TestRunsAreSmallerBesideLargeBatches: a record batch is read whole, however large, so the runs have less memory.
func TestRunsAreSmallerBesideLargeBatches(t *testing.T) {
	b := Budget{Total: 64 << 20, All: 64 << 20}
	require.Equal(t, b.Run(), b.runBeside(0))
	require.Equal(t, b.Run(), b.runBeside(b.input()/3))
	require.Equal(t, b.Run()-b.input(), b.runBeside(b.input()))
	require.Equal(t, b.Total/16, b.runBeside(b.Total))
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil)
	s, err := newSorter(t, t.Context(), schema, Options{Keys: []arrowsort.Key{{Path: "k"}}, Budget: b,
		SpillDir: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	for _, rows := range []int{1000, 1_500_000, 1000} {
		keys := array.NewInt64Builder(memory.DefaultAllocator)
		keys.AppendValues(make([]int64, rows), nil)
		require.NoError(t, s.Write(array.NewRecord(schema, []arrow.Array{keys.NewArray()}, int64(rows))))
		if rows == 1000 && len(s.store.runs) == 0 {
			require.Equal(t, b.Run(), s.run)
		} else {
			want := b.runBeside(1_500_000 * 8)
			require.InDelta(t, want, s.run, float64(want)/100, "it is not known whether others follow")
		}
		require.LessOrEqual(t, s.bytes, s.run)
	}
}

// TestRunsOfManyRows: a run has no more rows than are sorted at once, whatever they take.
func TestRunsOfManyRows(t *testing.T) {
	before := mostRunRows
	defer func() { mostRunRows = before }()
	mostRunRows = 1000
	numbers := func(mem memory.Allocator, batch int) arrow.Record {
		return sorttest.Numbers(mem, rand.New(rand.NewPCG(1, uint64(batch))), batch*700, 700)
	}
	s := sortBatches(t, Options{Keys: byKey}, 0, sorttest.NumbersSchema, 5, numbers)
	require.Greater(t, len(s.store.runs), 3)
}
