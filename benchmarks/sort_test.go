package benchmarks

import (
	"cmp"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

var (
	byKey = []arrowsort.Key{{Path: "key"}}
	sizes = []int{100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}
)

const middle = 1_000_000

func BenchmarkSortRows(b *testing.B) {
	for _, rows := range sizes {
		benchmark(b, Spec{"int64", rows, "uniform", 0}, sortRecord)
	}
}

func BenchmarkSortIndicesRows(b *testing.B) {
	for _, rows := range sizes {
		benchmark(b, Spec{"int64", rows, "uniform", 0}, sortIndices)
	}
}

func BenchmarkSortDist(b *testing.B) {
	for _, dist := range Dists {
		benchmark(b, Spec{"int64", middle, dist, 0}, sortRecord)
	}
}

// BenchmarkNearlySorted sorts 10,000,000 rows that are nearly sorted, and random ones.
func BenchmarkNearlySorted(b *testing.B) {
	for _, dist := range []string{"uniform", "sorted", "swapped", "jitter", "runs2", "runs8", "runs32"} {
		spec := Spec{"int64", 10_000_000, dist, 0}
		b.Run("job=record", func(b *testing.B) { benchmark(b, spec, sortRecord) })
		b.Run("job=indices", func(b *testing.B) { benchmark(b, spec, sortIndices) })
	}
}

func BenchmarkSortType(b *testing.B) {
	for _, typ := range Types {
		for _, nulls := range []int{0, 5} {
			benchmark(b, Spec{typ, middle, "uniform", nulls}, sortRecord)
		}
	}
}

// BenchmarkKeysOnly sorts a column alone, into memory of the sort before; vqsort has the same jobs.
func BenchmarkKeysOnly(b *testing.B) {
	recycler := arrowsort.NewRecycler(nil, 0)
	defer recycler.Release()
	for _, typ := range []string{"int64", "int32", "float64", "int16"} {
		benchmark(b, Spec{typ, 10_000_000, "uniform", 0}, func(b *testing.B, rec arrow.Record) {
			sorted, err := arrowsort.Sort(b.Context(), rec.Column(0), nil, arrowsort.Options{Allocator: recycler})
			require.NoError(b, err)
			sorted.Release()
		})
	}
}

// BenchmarkRecycler sorts into fresh memory and into that of the sort before.
func BenchmarkRecycler(b *testing.B) {
	recycler := arrowsort.NewRecycler(nil, 0)
	defer recycler.Release()
	for _, spec := range []Spec{w, {"string40", middle, "uniform", 0}} {
		for name, mem := range map[string]memory.Allocator{"fresh": memory.DefaultAllocator, "recycled": recycler} {
			b.Run("memory="+name, func(b *testing.B) {
				benchmark(b, spec, func(b *testing.B, rec arrow.Record) {
					sorted, err := arrowsort.Sort(b.Context(), rec, byKey, arrowsort.Options{Allocator: mem})
					require.NoError(b, err)
					sorted.Release()
				})
			})
		}
	}
}

// BenchmarkSmall compares row numbers of few rows with slices.SortFunc on (key, row) pairs.
func BenchmarkSmall(b *testing.B) {
	for _, rows := range []int{100, 1000, 10_000, 100_000} {
		spec := Spec{"int64", rows, "uniform", 0}
		benchmark(b, spec, sortIndices)
		benchmarkPairs(b, spec)
	}
}

// BenchmarkManySorts sorts records of few rows on 50 goroutines for each processor at once: the time of a call is that
// of all of them by their number.
func BenchmarkManySorts(b *testing.B) {
	for _, rows := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		spec := Spec{"int64", rows, "uniform", 0}
		b.Run("engine=cpu/"+spec.String(), func(b *testing.B) {
			rec, err := Table(spec, memory.DefaultAllocator)
			require.NoError(b, err)
			defer rec.Release()
			b.SetParallelism(50)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					sortRecord(b, rec)
				}
			})
			perRow(b, spec)
		})
	}
}

// BenchmarkScaling sorts 100,000,000 rows on 1, 2, 4, ... threads, as many as there are processors. It takes 10 GB.
func BenchmarkScaling(b *testing.B) {
	spec := Spec{"int64", 100_000_000, "uniform", 0}
	rec, err := Table(spec, memory.DefaultAllocator)
	require.NoError(b, err)
	defer rec.Release()
	for threads := 1; threads <= runtime.NumCPU(); threads *= 2 {
		b.Run(fmt.Sprintf("engine=cpu/threads=%d/%s", threads, spec), func(b *testing.B) {
			for b.Loop() {
				sorted, err := arrowsort.Sort(b.Context(), rec, byKey, arrowsort.Options{Threads: threads})
				require.NoError(b, err)
				sorted.Release()
			}
			perRow(b, spec)
		})
	}
}

var linearRows = flag.Int("linear.rows", 100_000_000, "the most rows of BenchmarkLinear: 1,000,000,000 take 80 GB")

// BenchmarkLinear sorts a key and a column of 8 bytes of 10,000,000 rows, and of ten times as many again and again.
func BenchmarkLinear(b *testing.B) {
	for rows := 10_000_000; rows <= *linearRows; rows *= 10 {
		benchmark(b, Spec{"int64", rows, "uniform", 0}, func(b *testing.B, rec arrow.Record) {
			fields := arrow.NewSchema(rec.Schema().Fields()[:2], nil)
			two := array.NewRecord(fields, rec.Columns()[:2], rec.NumRows())
			defer two.Release()
			sortRecord(b, two)
		})
	}
}

func sortRecord(b *testing.B, rec arrow.Record) {
	sorted, err := arrowsort.Sort(b.Context(), rec, byKey, arrowsort.Options{})
	require.NoError(b, err)
	sorted.Release()
}

func sortIndices(b *testing.B, rec arrow.Record) {
	rows, err := arrowsort.SortIndices(b.Context(), rec, byKey, arrowsort.Options{})
	require.NoError(b, err)
	rows.Release()
}

func benchmark(b *testing.B, spec Spec, call func(*testing.B, arrow.Record)) {
	b.Run("engine=cpu/"+spec.String(), func(b *testing.B) {
		rec, err := Table(spec, memory.DefaultAllocator)
		require.NoError(b, err)
		defer rec.Release()
		b.ReportAllocs()
		for b.Loop() {
			call(b, rec)
		}
		perRow(b, spec)
	})
}

func benchmarkPairs(b *testing.B, spec Spec) {
	b.Run("engine=slices/"+spec.String(), func(b *testing.B) {
		rec, err := Table(spec, memory.DefaultAllocator)
		require.NoError(b, err)
		defer rec.Release()
		type pair struct {
			key int64
			row uint32
		}
		pairs := make([]pair, spec.Rows)
		for row, key := range rec.Column(0).(*array.Int64).Int64Values() {
			pairs[row] = pair{key, uint32(row)}
		}
		sorted := make([]pair, spec.Rows)
		b.ReportAllocs()
		for b.Loop() {
			copy(sorted, pairs)
			slices.SortFunc(sorted, func(x, y pair) int {
				return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.row, y.row))
			})
		}
		perRow(b, spec)
	})
}

func perRow(b *testing.B, spec Spec) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spec.Rows), "ns/row")
}
