package parquetsort

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// rowsSortedBy returns the rows of a table in the order of arrowsort.SortIndices, which is that of the reference model.
func rowsSortedBy(t *testing.T, table arrow.Table, keys []arrowsort.Key) arrow.Table {
	rows, err := arrowsort.SortIndices(t.Context(), table, keys, arrowsort.Options{})
	require.NoError(t, err)
	defer rows.Release()
	sorted, err := extsort.TakeRows(t.Context(), table, rows.Uint64Values(), arrowsort.Options{})
	require.NoError(t, err)
	return sorted
}

// TestSortByListsOfEveryType: files are sorted by lists and maps of every type, in memory and in runs that are spilled,
// from and to every format; sorted files are merged; Check finds the order and the first row that is out of it. The
// footer names no order by such a key, which its leaf columns do not have.
func TestSortByListsOfEveryType(t *testing.T) {
	folder := t.TempDir()
	schema := everyType()
	for _, format := range testrun.Sample(2, []string{".parquet", ".arrow"}) {
		var inputs []string
		for file := range 3 {
			inputs = append(inputs, filepath.Join(folder, fmt.Sprintf("in%d%s", file, format)))
			generate(t, inputs[file], schema, 2, func(batch int) arrow.Record {
				return rowsOfEveryType(schema, 2*file+batch)
			})
		}
		all := rowsWritten(t, inputs, filepath.Join(folder, "all"+format)).Table
		for _, i := range testrun.Sample(12, nestedFields(schema)) {
			field := schema.Field(i)
			keys := []arrowsort.Key{{Path: field.Name, Order: arrowsort.Order(i / 2 % 2),
				Nulls: arrowsort.NullPlacement(i / 4 % 2)}, {Path: "row", Order: arrowsort.Descending}}
			want := rowsSortedBy(t, all, keys)
			requireSortedLists(t, inputs, keys, want, filepath.Join(folder, "memory"+format), 1<<30)
			requireSortedLists(t, inputs, keys, want, filepath.Join(folder, "spilled"+format), MinMemory, "long")
			requireMergedLists(t, inputs, keys, want, folder, format)
			want.Release()
		}
	}
}

// nestedFields returns the columns of a schema that are lists or maps.
func nestedFields(schema *arrow.Schema) (at []int) {
	for i, field := range schema.Fields() {
		if adapter.Nested(field.Type) {
			at = append(at, i)
		}
	}
	return at
}

func requireSortedLists(
	t *testing.T, inputs []string, keys []arrowsort.Key, want arrow.Table, out string, budget int64,
	columns ...string,
) {
	columns = append(columns, keys[0].Path, keys[1].Path)
	opts := Options{Keys: keys, Columns: columns, Memory: Memory{Budget: budget, SpillDir: filepath.Dir(out)}}
	result, err := Sort(t.Context(), inputs, out, opts)
	require.NoError(t, err, "%+v", keys)
	require.Equal(t, budget == MinMemory, result.Runs > 1)
	requireRows(t, want, out, keys)
	check, err := Check(t.Context(), []string{out}, CheckOptions{Keys: keys})
	require.NoError(t, err)
	require.Nil(t, check.Violation)
	if filepath.Ext(out) == ".parquet" {
		declared, err := DeclaredOrders(t.Context(), []string{out}, FooterOptions{})
		require.NoError(t, err)
		require.Empty(t, declared[0].Keys)
	}
}

// requireRows compares the numbers of the rows and the keys of a file with those of a table.
func requireRows(t *testing.T, want arrow.Table, path string, keys []arrowsort.Key) {
	got, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{})
	require.NoError(t, err)
	defer got.Table.Release()
	for _, key := range keys {
		column := func(of arrow.Table) []string {
			return arrowtest.Values(of.Column(of.Schema().FieldIndices(key.Path)[0]).Data())
		}
		require.Equal(t, column(want), column(got.Table), "%s by %+v, column %s", path, keys, key.Path)
	}
}

func requireMergedLists(
	t *testing.T, inputs []string, keys []arrowsort.Key, want arrow.Table, folder, format string,
) {
	var sorted []string
	for i, input := range inputs {
		sorted = append(sorted, filepath.Join(folder, fmt.Sprintf("sorted%d%s", i, format)))
		opts := Options{Keys: keys, Columns: []string{keys[0].Path, keys[1].Path}}
		_, err := Sort(t.Context(), []string{input}, sorted[i], opts)
		require.NoError(t, err)
	}
	out := filepath.Join(folder, "merged"+format)
	_, err := Merge(t.Context(), sorted, out, Options{Keys: keys})
	require.NoError(t, err)
	requireRows(t, want, out, keys)
	first, err := Check(t.Context(), inputs[:1], CheckOptions{Keys: keys[1:]})
	require.NoError(t, err)
	require.Equal(t, int64(1), first.Violation.Row, "the numbers of the rows rise")
}
