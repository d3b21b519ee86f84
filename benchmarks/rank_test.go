package benchmarks

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// BenchmarkSearchSorted searches as many values as the sorted data has rows: random ones, and the data itself.
func BenchmarkSearchSorted(b *testing.B) {
	for _, spec := range []Spec{
		{"int64", middle, "uniform", 0}, {"int64", 10 * middle, "uniform", 0}, {"int64", 10 * middle, "zipf", 0},
		{"string5", middle, "uniform", 5},
	} {
		for _, values := range []string{"random", "sorted"} {
			b.Run("engine=cpu/"+spec.String()+"/values="+values, func(b *testing.B) { searchSorted(b, spec, values) })
		}
	}
}

func searchSorted(b *testing.B, spec Spec, order string) {
	rec, err := Table(spec, memory.DefaultAllocator)
	require.NoError(b, err)
	defer rec.Release()
	sorted, err := arrowsort.Sort(b.Context(), rec.Column(0), nil, arrowsort.Options{})
	require.NoError(b, err)
	defer sorted.Release()
	values := rec.Column(0)
	if order == "sorted" {
		values = sorted
	}
	b.ReportAllocs()
	for b.Loop() {
		places, err := arrowsort.SearchSorted(b.Context(), sorted, values, nil, arrowsort.Left, arrowsort.Options{})
		require.NoError(b, err)
		places.Release()
	}
	perRow(b, spec)
}

// w is the key of the table W, on which SortIndices, Rank and Groups are compared.
var w = Spec{"int64", 10_000_000, "uniform", 0}

func BenchmarkSortIndicesW(b *testing.B) { benchmark(b, w, sortIndices) }

func BenchmarkRankFirst(b *testing.B) { benchmark(b, w, rankBy(arrowsort.TiesFirst)) }

func BenchmarkRankMin(b *testing.B) { benchmark(b, w, rankBy(arrowsort.TiesMin)) }

func BenchmarkRankDense(b *testing.B) { benchmark(b, w, rankBy(arrowsort.TiesDense)) }

func BenchmarkRankAverage(b *testing.B) {
	benchmark(b, w, func(b *testing.B, rec arrow.Record) {
		ranks, err := arrowsort.RankAverage(b.Context(), rec, byKey, arrowsort.Options{})
		require.NoError(b, err)
		ranks.Release()
	})
}

// BenchmarkRankType is to be compared with BenchmarkSortIndicesType.
func BenchmarkRankType(b *testing.B) { eachType(b, rankBy(arrowsort.TiesMin)) }

func BenchmarkSortIndicesType(b *testing.B) { eachType(b, sortIndices) }

func eachType(b *testing.B, call func(*testing.B, arrow.Record)) {
	for _, typ := range []string{"int16", "int64", "float64", "decimal128", "string5", "string40", "dictionary"} {
		for _, nulls := range []int{0, 5} {
			benchmark(b, Spec{typ, middle, "uniform", nulls}, call)
		}
	}
}

// BenchmarkRankSorted is to be compared with BenchmarkSortIndices of the same rows.
func BenchmarkRankSorted(b *testing.B) { onSorted(b, w, rankBy(arrowsort.TiesMin)) }

func rankBy(ties arrowsort.TieBreaker) func(*testing.B, arrow.Record) {
	return func(b *testing.B, rec arrow.Record) {
		ranks, err := arrowsort.Rank(b.Context(), rec, byKey, ties, arrowsort.Options{})
		require.NoError(b, err)
		ranks.Release()
	}
}

// BenchmarkGroups finds the groups of sorted keys: all different, except for nulls and entries of dictionaries.
func BenchmarkGroups(b *testing.B) {
	groups := func(b *testing.B, rec arrow.Record) {
		borders, err := arrowsort.Groups(b.Context(), rec, byKey, arrowsort.Options{})
		require.NoError(b, err)
		borders.Release()
	}
	for _, spec := range []Spec{w, {"int64", w.Rows, "uniform", 5}, {"dictionary", middle, "uniform", 0},
		{"string40", middle, "uniform", 0}} {
		onSorted(b, spec, groups)
	}
}

// onSorted runs a benchmark on the sorted record of a spec.
func onSorted(b *testing.B, spec Spec, call func(*testing.B, arrow.Record)) {
	b.Run("engine=cpu/"+spec.String(), func(b *testing.B) {
		rec, err := Table(spec, memory.DefaultAllocator)
		require.NoError(b, err)
		defer rec.Release()
		sorted, err := arrowsort.Sort(b.Context(), rec, byKey, arrowsort.Options{})
		require.NoError(b, err)
		defer sorted.Release()
		b.ReportAllocs()
		for b.Loop() {
			call(b, sorted)
		}
		perRow(b, spec)
	})
}

// BenchmarkPartitionNth partitions W at its median, and at a place near the start.
func BenchmarkPartitionNth(b *testing.B) {
	for name, nth := range map[string]int{"median": w.Rows / 2, "thousandth": 1000} {
		b.Run("nth="+name, func(b *testing.B) {
			benchmark(b, w, func(b *testing.B, rec arrow.Record) {
				rows, err := arrowsort.PartitionNth(b.Context(), rec, byKey, nth, arrowsort.Options{})
				require.NoError(b, err)
				rows.Release()
			})
		})
	}
}

// BenchmarkSelectKPerGroup takes the 3 rows of least value of each of 1,000 groups of int64.
func BenchmarkSelectKPerGroup(b *testing.B) {
	values, err := words("uniform", 2*w.Rows)
	require.NoError(b, err)
	group, value := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for i := range w.Rows {
		group.Append(int64(values[i] % 1000))
		value.Append(int64(values[w.Rows+i]))
	}
	fields := []arrow.Field{{Name: "group", Type: arrow.PrimitiveTypes.Int64},
		{Name: "value", Type: arrow.PrimitiveTypes.Int64}}
	columns := []arrow.Array{group.NewArray(), value.NewArray()}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(w.Rows))
	groups, least := []arrowsort.Key{{Path: "group"}}, []arrowsort.Key{{Path: "value"}}
	for b.Loop() {
		rows, err := arrowsort.SelectKPerGroup(b.Context(), rec, groups, least, 3, arrowsort.Options{})
		require.NoError(b, err)
		rows.Release()
	}
}
