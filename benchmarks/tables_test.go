package benchmarks

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestTablesOfEveryTypeAndDistribution(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for _, typ := range Types {
		for _, dist := range Dists {
			for _, nulls := range []int{0, 20} {
				spec := Spec{typ, 1000, dist, nulls}
				rec, err := Table(spec, mem)
				require.NoError(t, err, spec)
				require.EqualValues(t, spec.Rows, rec.NumRows(), spec)
				require.Equal(t, []string{"key", "row", "value"},
					[]string{rec.ColumnName(0), rec.ColumnName(1), rec.ColumnName(2)}, spec)
				require.InDelta(t, spec.Rows*nulls/100, rec.Column(0).NullN(), 60, spec)
				rec.Release()
			}
		}
	}
}

// The words of a distribution become keys of the same order, so sorted words must give sorted keys of every type.
func TestKeysKeepTheOrderOfTheWords(t *testing.T) {
	for _, typ := range Types {
		for _, dist := range []string{"sorted", "constant", "reversed", "uniform"} {
			rec, err := Table(Spec{typ, 5000, dist, 0}, memory.DefaultAllocator)
			require.NoError(t, err)
			sorted, row, err := arrowsort.IsSorted(t.Context(), rec, []arrowsort.Key{{Path: "key"}},
				arrowsort.Options{})
			require.NoError(t, err, typ)
			require.Equal(t, dist == "sorted" || dist == "constant", sorted,
				"type %s, distribution %s: first wrong row %d", typ, dist, row)
			rec.Release()
		}
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := Table(Spec{"int64", 10, "bell", 0}, memory.DefaultAllocator)
	require.EqualError(t, err, `benchmarks: unknown distribution "bell"`)
	_, err = Table(Spec{"int7", 10, "uniform", 0}, memory.DefaultAllocator)
	require.EqualError(t, err, `benchmarks: unknown type "int7"`)
}
