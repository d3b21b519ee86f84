package benchmarks

import (
	"testing"

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
