package benchmarks

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
)

// mergeRuns is the number of sorted records that are merged.
const mergeRuns = 8

// BenchmarkMerge merges sorted records: in memory, as streams, by a sort of all their rows, and, as a bound, their
// columns are copied one after another.
func BenchmarkMerge(b *testing.B) {
	specs := []Spec{
		{"int64", middle, "uniform", 0}, {"int64", 10 * middle, "uniform", 0}, {"int64", 10 * middle, "zipf", 0},
		{"string40", middle, "uniform", 5},
	}
	for _, spec := range specs {
		for name, call := range map[string]func(*testing.B, []arrow.Record){
			"cpu": merge, "cpu-stream": mergeStream, "cpu-sort": mergeBySorting, "copy": mergeByCopying,
		} {
			b.Run("engine="+name+"/"+spec.String(), func(b *testing.B) { benchmarkMerge(b, spec, call) })
		}
	}
}

func benchmarkMerge(b *testing.B, spec Spec, call func(*testing.B, []arrow.Record)) {
	rec, err := Table(spec, memory.DefaultAllocator)
	require.NoError(b, err)
	defer rec.Release()
	var runs []arrow.Record
	for i := range mergeRuns {
		part := rec.NewSlice(int64(spec.Rows*i/mergeRuns), int64(spec.Rows*(i+1)/mergeRuns))
		run, err := arrowsort.Sort(b.Context(), part, byKey, arrowsort.Options{})
		require.NoError(b, err)
		part.Release()
		runs = append(runs, run)
		defer run.Release()
	}
	b.ReportAllocs()
	for b.Loop() {
		call(b, runs)
	}
	perRow(b, spec)
}

func merge(b *testing.B, runs []arrow.Record) {
	merged, err := arrowsort.Merge(b.Context(), runs, byKey, arrowsort.Options{})
	require.NoError(b, err)
	merged.Release()
}

func mergeStream(b *testing.B, runs []arrow.Record) {
	var readers []array.RecordReader
	for _, run := range runs {
		var batches []arrow.Record
		for at := int64(0); at < run.NumRows(); at += arrowsort.DefaultBatchRows {
			batch := run.NewSlice(at, min(at+arrowsort.DefaultBatchRows, run.NumRows()))
			defer batch.Release()
			batches = append(batches, batch)
		}
		reader, err := array.NewRecordReader(run.Schema(), batches)
		require.NoError(b, err)
		defer reader.Release()
		readers = append(readers, reader)
	}
	merged, err := arrowsort.MergeReaders(b.Context(), readers, byKey, arrowsort.Options{})
	require.NoError(b, err)
	defer merged.Release()
	for merged.Next() {
	}
	require.NoError(b, merged.Err())
}

func mergeBySorting(b *testing.B, runs []arrow.Record) {
	all := array.NewTableFromRecords(runs[0].Schema(), runs)
	defer all.Release()
	sorted, err := arrowsort.Sort[arrow.Table](b.Context(), all, byKey, arrowsort.Options{})
	require.NoError(b, err)
	sorted.Release()
}

func mergeByCopying(b *testing.B, runs []arrow.Record) {
	for c := range int(runs[0].NumCols()) {
		var chunks []arrow.Array
		for _, run := range runs {
			chunks = append(chunks, run.Column(c))
		}
		all, err := array.Concatenate(chunks, memory.DefaultAllocator)
		require.NoError(b, err)
		all.Release()
	}
}

// BenchmarkExternalMerge merges 7 or 8 spilled runs of random rows. Writing them is not timed.
func BenchmarkExternalMerge(b *testing.B) {
	for spec, budget := range map[Spec]int64{
		{"int64", 10 * middle, "uniform", 0}: 130e6, {"string40", middle, "uniform", 5}: 26e6,
	} {
		b.Run("engine=cpu/"+spec.String(), func(b *testing.B) {
			rec, err := Table(spec, memory.DefaultAllocator)
			require.NoError(b, err)
			defer rec.Release()
			for b.Loop() {
				b.StopTimer()
				s, err := extsort.NewSorter(b.Context(), rec.Schema(), byKey,
					extsort.Options{Memory: budget, SpillDir: b.TempDir()})
				require.NoError(b, err)
				for at := int64(0); at < rec.NumRows(); at += arrowsort.DefaultBatchRows {
					batch := rec.NewSlice(at, min(at+arrowsort.DefaultBatchRows, rec.NumRows()))
					require.NoError(b, s.Write(batch))
					batch.Release()
				}
				b.StartTimer()
				sorted, err := s.Sorted()
				require.NoError(b, err)
				for sorted.Next() {
				}
				require.NoError(b, sorted.Err())
				sorted.Release()
				b.ReportMetric(float64(s.Stats().Runs), "runs")
				require.NoError(b, s.Close())
			}
			perRow(b, spec)
		})
	}
}
