package extsort_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	_ "github.com/apache/arrow/go/v15/parquet/pqarrow" // links into one program with this package
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
)

var byKey = []arrowsort.Key{{Path: "key"}}

// TestSorterReportsWhatItDoes in memory, in runs that are merged at once, and in runs that are merged in passes.
func TestSorterReportsWhatItDoes(t *testing.T) {
	for _, c := range []struct {
		batches int
		opts    extsort.Options
		spills  bool
		phases  []extsort.Phase
	}{
		{3, extsort.Options{}, false, []extsort.Phase{extsort.PhaseSort, extsort.PhaseWrite}},
		{10, extsort.Options{Memory: extsort.MinMemory}, true, []extsort.Phase{extsort.PhaseWrite}},
		{10, extsort.Options{Memory: extsort.MinMemory, SpillCompression: "zstd", BatchRows: 1000}, true,
			[]extsort.Phase{extsort.PhaseWrite}},
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
		s, err := extsort.NewSorter(t.Context(), sorttest.NumbersSchema, byKey, c.opts)
		require.NoError(t, err)
		var want, got sorttest.Digest
		for i := range c.batches {
			rec := sorttest.Numbers(mem, r, i*60_000, 60_000)
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
		require.EqualValues(t, c.batches*60_000, stats.Rows)
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
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	require.False(t, sorted.Next())
	require.NoError(t, sorted.Err())
	_, err = s.Sorted()
	require.ErrorIs(t, err, extsort.ErrOption)
	rec := sorttest.Numbers(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, 1)
	require.ErrorContains(t, s.Write(rec), "Write after Sorted")
}
