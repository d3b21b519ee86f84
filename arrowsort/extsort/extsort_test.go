package extsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	_ "github.com/apache/arrow/go/v15/parquet/pqarrow" // links into one program with this package
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
)

var byKey = []arrowsort.Key{{Path: "key"}}

// TestSorterReportsWhatItDoes in memory, in runs that are merged at once, and in runs that are merged in passes.
func TestSorterReportsWhatItDoes(t *testing.T) {
	for _, c := range []struct {
		batches, rows, columns int
		opts                   extsort.Options
		spills                 bool
		phases                 []extsort.Phase
	}{
		{3, 60_000, 3, extsort.Options{}, false, []extsort.Phase{extsort.PhaseSort, extsort.PhaseWrite}},
		{10, 60_000, 3, extsort.Options{Memory: extsort.MinMemory}, true, []extsort.Phase{extsort.PhaseWrite}},
		{10, 60_000, 3, extsort.Options{Memory: extsort.MinMemory, SpillCompression: "zstd", BatchRows: 1000}, true,
			[]extsort.Phase{extsort.PhaseWrite}},
		{40, 1000, 128, extsort.Options{Memory: extsort.MinMemory}, true, // of which 4 runs are merged at once
			[]extsort.Phase{extsort.PhaseMerge, extsort.PhaseWrite}},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		r, folder := rand.New(rand.NewPCG(1, 2)), t.TempDir()
		var phases []extsort.Phase
		var last, total int64
		c.opts.SpillDir, c.opts.Allocator = folder, mem
		c.opts.Progress = func(phase extsort.Phase, done, all int64) {
			if len(phases) == 0 || phases[len(phases)-1] != phase {
				phases, last = append(phases, phase), 0
			}
			require.GreaterOrEqual(t, done, last)
			last, total = done, all
		}
		schema := widen(sorttest.Numbers(memory.DefaultAllocator, r, 0, 0), c.columns).Schema()
		s, err := extsort.NewSorter(t.Context(), schema, byKey, c.opts)
		require.NoError(t, err)
		var want, got sorttest.Digest
		for i := range c.batches {
			numbers := sorttest.Numbers(mem, r, i*c.rows, c.rows)
			rec := widen(numbers, c.columns)
			numbers.Release()
			want.Add(rec)
			require.NoError(t, s.Write(rec))
			rec.Release()
		}
		sorted, err := s.Sorted()
		require.NoError(t, err)
		for sorted.Next() {
			got.Add(sorted.Record())
		}
		require.NoError(t, sorted.Err())
		sorted.Release()
		stats := s.Stats()
		require.EqualValues(t, c.batches*c.rows, stats.Rows)
		require.Equal(t, c.spills, stats.Runs > 1 && stats.BytesSpilled > 0)
		require.Equal(t, want, got)
		require.Equal(t, c.phases, phases)
		require.Positive(t, last)
		require.Equal(t, total, last)
		require.NoError(t, s.Close())
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
		mem.AssertSize(t, 0)
	}
}

// widen returns a record with copies of its last column, until it has a number of columns.
func widen(rec arrow.Record, columns int) arrow.Record {
	fields, arrays := rec.Schema().Fields(), rec.Columns()
	last := len(fields) - 1
	for len(fields) < columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("row ", len(fields)), Type: fields[last].Type})
		arrays = append(arrays, arrays[last])
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, rec.NumRows())
}

// TestSorterReportsWhatDoesNotFit in the words of this package.
func TestSorterReportsWhatDoesNotFit(t *testing.T) {
	s, err := extsort.NewSorter(t.Context(), sorttest.NumbersSchema, byKey,
		extsort.Options{Memory: extsort.MinMemory, BatchRows: 200_000, SpillDir: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	rec := sorttest.Numbers(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 2)), 0, 200_000)
	require.NoError(t, s.Write(rec))
	_, err = s.Sorted()
	require.ErrorIs(t, err, extsort.ErrMemory)
	require.ErrorContains(t, err, "batches of 200000 rows of ")
}

// TestKeysThatCannotBeSorted are errors of the kinds of package arrowsort.
func TestKeysThatCannotBeSorted(t *testing.T) {
	days := arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)
	list := arrow.NewSchema([]arrow.Field{{Name: "key", Type: days}}, nil)
	_, err := extsort.NewSorter(t.Context(), list, byKey, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
	_, err = extsort.NewSorter(t.Context(), list, []arrowsort.Key{arrowsort.KeyAt(1)}, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
	_, err = extsort.NewSorter(t.Context(), list, []arrowsort.Key{{Path: "key", Order: 7}}, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)

	text := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}, nil)
	s, err := extsort.NewSorter(t.Context(), text, byKey, extsort.Options{SpillDir: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	bad := arrowtest.MalformedStrings()
	defer bad.Release()
	err = s.Write(array.NewRecord(text, []arrow.Array{bad}, int64(bad.Len())))
	if err == nil {
		_, err = s.Sorted()
	}
	require.ErrorIs(t, err, arrow.ErrInvalid)
}

// TestArgumentsThatMakeNoSense are errors of their kinds.
func TestArgumentsThatMakeNoSense(t *testing.T) {
	schema := sorttest.NumbersSchema
	for name, opts := range map[string]extsort.Options{
		"memory": {Memory: 1}, "batch": {BatchRows: -1}, "limit": {Limit: -1}, "tail": {Tail: -1},
		"threads": {Threads: -1}, "spill": {SpillCompression: "gzip"}, "tail and limit": {Tail: 1, Limit: 1},
		"tail and unique": {Tail: 1, Unique: true},
	} {
		_, err := extsort.NewSorter(t.Context(), schema, byKey, opts)
		require.ErrorIs(t, err, extsort.ErrOption, name)
	}
	var none context.Context
	_, err := extsort.NewSorter(none, schema, byKey, extsort.Options{})
	require.ErrorIs(t, err, extsort.ErrOption)
	_, err = extsort.NewSorter(t.Context(), nil, byKey, extsort.Options{})
	require.ErrorIs(t, err, extsort.ErrOption)
	_, err = extsort.NewSorter(t.Context(), schema, nil, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	_, err = extsort.NewSorter(t.Context(), schema, []arrowsort.Key{{Path: "no"}}, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrColumn)

	s, err := extsort.NewSorter(t.Context(), schema, byKey, extsort.Options{Unique: true, Limit: 2})
	require.NoError(t, err)
	defer s.Close()
	other := array.NewRecord(arrow.NewSchema(nil, nil), nil, 0)
	require.ErrorIs(t, s.Write(other), extsort.ErrSchema)
	require.ErrorIs(t, s.Write(nil), extsort.ErrOption)
	require.ErrorIs(t, s.WriteFrom(nil), extsort.ErrOption)
	rec := sorttest.Numbers(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, 1)
	reader, err := array.NewRecordReader(schema, []arrow.Record{rec, rec})
	require.NoError(t, err)
	defer reader.Release()
	require.NoError(t, s.WriteFrom(reader))
	require.EqualValues(t, 2, s.Stats().Rows)
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	require.True(t, sorted.Next())
	require.EqualValues(t, 1, sorted.Record().NumRows(), "of two rows with one key")
	require.False(t, sorted.Next())
	require.NoError(t, sorted.Err())
	_, err = s.Sorted()
	require.ErrorIs(t, err, extsort.ErrOption)
	require.ErrorContains(t, s.Write(rec), "Write after Sorted")
}

// TestRowsWithoutColumns keep their number, and have no column that they could be sorted by.
func TestRowsWithoutColumns(t *testing.T) {
	none := arrow.NewSchema(nil, nil)
	_, err := extsort.NewSorter(t.Context(), none, byKey, extsort.Options{})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
	s, err := extsort.NewSorter(t.Context(), none, []arrowsort.Key{{Function: arrowsort.Random(1)}},
		extsort.Options{BatchRows: 3})
	require.NoError(t, err)
	defer s.Close()
	for range 2 {
		require.NoError(t, s.Write(array.NewRecord(none, nil, 5)))
	}
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	rows := int64(0)
	for sorted.Next() {
		rows += sorted.Record().NumRows()
	}
	require.NoError(t, sorted.Err())
	require.EqualValues(t, 10, rows)
}

// exhausted fails from one of its allocations on.
type exhausted struct {
	memory.Allocator
	left   int
	panics bool
}

func (e *exhausted) Allocate(size int) []byte {
	if e.left--; e.left >= 0 {
		return e.Allocator.Allocate(size)
	}
	if e.panics {
		panic("no memory")
	}
	return nil
}

// TestFailingAllocator lets the allocations of a sort fail from each one on: an error each time, no memory is lost.
func TestFailingAllocator(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, words} {
		rec := arrowtest.Random(rand.New(rand.NewPCG(1, 3)), typ, 200, 0.1, memory.DefaultAllocator)
		schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: typ, Nullable: true}}, nil)
		for _, panics := range []bool{false, true} {
			for n, failed := 0, true; failed; n++ {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				err := sortAll(t, schema, array.NewRecord(schema, []arrow.Array{rec}, 200), extsort.Options{
					Allocator: &exhausted{mem, n, panics}, BatchRows: 30, Unique: n%2 == 0, Threads: 1})
				if failed = err != nil; failed {
					require.ErrorIs(t, err, engine.ErrMemory, "%s, allocation %d", typ, n)
				}
				mem.AssertSize(t, 0)
			}
		}
	}
}

func sortAll(t *testing.T, schema *arrow.Schema, rec arrow.Record, opts extsort.Options) error {
	s, err := extsort.NewSorter(t.Context(), schema, byKey, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Write(rec); err != nil {
		return err
	}
	sorted, err := s.Sorted()
	if err != nil {
		return err
	}
	defer sorted.Release()
	for sorted.Next() {
	}
	return sorted.Err()
}
