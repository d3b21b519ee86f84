package arrowsort_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestSortLargeTables sorts tables that the engine partitions, with a column of every type.
func TestSortLargeTables(t *testing.T) {
	const rows = 50_000
	types := append(arrowtest.Types(), sortableTypes()...)
	types = slices.DeleteFunc(types, func(typ arrow.DataType) bool {
		return typ.ID() == arrow.RUN_END_ENCODED // 16-bit run ends hold fewer rows
	})
	for i := range uint64(testrun.Count(20, 2)) {
		seed := testrun.Seed() + i
		mem := checked(t)
		rng := rand.New(rand.NewPCG(seed, 10))
		var names []string
		var columns [][]arrow.Array
		for len(columns) < 12 {
			typ := types[rng.IntN(len(types))]
			cut := rng.IntN(rows)
			chunks := randomChunks(rng, mem, typ, 0.1, cut, rows-cut)
			defer releaseAll(chunks)
			names, columns = append(names, fmt.Sprint("c", len(columns))), append(columns, chunks)
		}
		var keys []arrowsort.Key
		var by [][]arrow.Array
		for i, c := range columns {
			if !adapter.Sortable(c[0].DataType()) || len(keys) == 3 {
				continue
			}
			keys = append(keys, allKeys(names[i])[rng.IntN(4)])
			by = append(by, c)
		}
		tbl := table(t, names, columns...)
		want := argsort(by, keys)
		require.Equal(t, want, indices(t, mem, tbl, keys), "seed %d, %s, %+v", seed, tbl.Schema(), keys)
		sorted, err := arrowsort.Sort(t.Context(), tbl, keys, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		for i, c := range columns {
			all, got := texts(c...), texts(sorted.Column(i).Data().Chunks()...)
			for k, row := range want {
				if all[row] != got[k] {
					t.Fatalf(
						"seed %d, column %d of type %s, row %d: %s, not %s", seed, i, c[0].DataType(), k, got[k],
						all[row],
					)
				}
			}
		}
		sorted.Release()
	}
}
