package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// textOfRows are the rows of files, each the text of its values; columns are those that are wanted.
func textOfRows(t *testing.T, path string, columns ...string) (rows []string) {
	t.Helper()
	in := readTable(t, path)
	if len(columns) == 0 {
		for _, f := range in.Schema.Fields() {
			columns = append(columns, f.Name)
		}
	}
	rows = make([]string, in.Table.NumRows())
	for _, name := range columns {
		for i, cell := range cellsOf(in.Table.Column(in.Schema.FieldIndices(name)[0])) {
			rows[i] += cell + "|"
		}
	}
	return rows
}

// TestWantedRowsAndColumns: the first rows of each key, the last rows, and some columns, in memory, in runs that are
// spilled, and merged, are those of all rows in order.
func TestWantedRowsAndColumns(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(7, 11))
	in, empty := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "empty.parquet")
	const batches, batch = 20, 20_000
	generateNumbers(t, in, r, 0, batches, batch)
	generate(t, empty, sorttest.NumbersSchema, 0, nil)
	sorted := filepath.Join(folder, "sorted.parquet")
	keys := []arrowsort.Key{{Path: "key"}, {Path: "x", Order: arrowsort.Descending}}
	sortFiles(t, []string{in}, sorted, Options{Keys: keys})
	all, keysOfRows := textOfRows(t, sorted), textOfRows(t, sorted, "key", "x")
	var firsts []string
	for i, row := range all {
		if i == 0 || keysOfRows[i] != keysOfRows[i-1] {
			firsts = append(firsts, row)
		}
	}
	some := textOfRows(t, sorted, "row", "key")
	formats := []string{".parquet", ".arrow", ".csv"}
	for name, c := range map[string]struct {
		opts Options
		want []string
	}{
		"unique":           {Options{Rows: Rows{Unique: true}}, firsts},
		"unique and limit": {Options{Rows: Rows{Unique: true, Limit: 30_000}}, firsts[:30_000]},
		"tail":             {Options{Rows: Rows{Tail: 12_345}}, all[len(all)-12_345:]},
		"tail of all":      {Options{Rows: Rows{Tail: 1 << 40}}, all},
		"select":           {Options{Columns: []string{"row", "key"}}, some},
		"select and tail": {Options{Columns: []string{"row", "key"},
			Rows: Rows{Tail: 5}}, some[len(some)-5:]},
	} {
		for way, do := range map[string]func(out string, opts Options) (*Result, error){
			"in memory": func(out string, opts Options) (*Result,
				error) {
				return Sort(t.Context(), []string{in}, out, opts)
			},
			"spilled": func(out string, opts Options) (*Result, error) {
				opts.Memory.Budget = MinMemory
				return Sort(t.Context(), []string{in, empty}, out, opts)
			},
			"merged": func(out string, opts Options) (*Result, error) {
				return Merge(t.Context(), []string{empty, sorted}, out, opts)
			},
		} {
			for _, ext := range formats {
				if !testrun.Share(5, name, way, ext) {
					continue
				}
				t.Run(strings.Join([]string{name, way, ext}, ", "), func(t *testing.T) {
					mem := arrowtest.Checked(t)
					opts := c.opts
					opts.Keys, opts.Run.Allocator, opts.Memory.SpillDir, opts.Output.Preview = keys, mem, t.TempDir(), 3
					out := filepath.Join(t.TempDir(), "out"+ext)
					result, err := do(out, opts)
					require.NoError(t, err)
					defer result.Preview.Release()
					require.Equal(t, way == "spilled", result.Runs > 0)
					require.EqualValues(t, len(c.want), result.Rows)
					require.Equal(t, int(result.Preview.NumCols()), result.Schema.NumFields())
					if got := textOfRows(t, out); ext != ".csv" {
						require.True(t, strings.Join(c.want, "\n") == strings.Join(got, "\n"), "the rows differ")
					} else {
						require.Equal(t, len(c.want), len(got))
					}
				})
			}
		}
	}
	for _, opts := range []Options{{Rows: Rows{Tail: 1, Limit: 1}}, {Rows: Rows{Tail: 1, Unique: true}},
		{Rows: Rows{Tail: -1}}, {Columns: []string{"no"}}} {
		opts.Keys = keys
		_, err := Sort(t.Context(), []string{in}, filepath.Join(folder, "no.parquet"), opts)
		require.ErrorIs(t, err, ErrOption, fmt.Sprint(opts))
	}
}

// TestUniqueOfAConstantKey: of rows that all tie the first is kept, in memory and merged.
func TestUniqueOfAConstantKey(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.arrow"), filepath.Join(t.TempDir(), "out.arrow")
	number := arrow.PrimitiveTypes.Int64
	writeColumns(t, in, []arrow.Field{{Name: "same", Type: number}, {Name: "none", Type: number, Nullable: true},
		{Name: "row", Type: number}},
		"[5,5,5]", "[null,null,null]", "[1,2,3]")
	for _, keys := range [][]arrowsort.Key{{{Path: "same"}}, {{Path: "none"}}, {{Path: "same"}, {Path: "none"}}} {
		for _, inputs := range [][]string{{in}, {in, in}} {
			sortFiles(t, inputs, out, Options{Keys: keys, Rows: Rows{Unique: true}})
			require.Equal(t, []string{"5|null|1|"}, textOfRows(t, out))
		}
	}
}
