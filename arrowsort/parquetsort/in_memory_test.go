package parquetsort

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestCSVKeepsItsText: CSV that is sorted to CSV has its values as they are written, from a file and from a pipe.
func TestCSVKeepsItsText(t *testing.T) {
	const text, sorted = "a,b\n2.50,x\n10,y\n1e0,z\n", "a,b\n1e0,z\n2.50,x\n10,y\n"
	mem := arrowtest.Checked(t)
	in := filepath.Join(t.TempDir(), "in.csv")
	require.NoError(t, os.WriteFile(in, []byte(text), 0o600))
	for _, path := range []string{in, tablefile.Pipe} {
		var out bytes.Buffer
		var phases []Phase
		result := sortFiles(t, []string{path}, tablefile.Pipe,
			Options{KeysFor: func(*arrow.Schema) ([]arrowsort.Key, error) { return []arrowsort.Key{{Path: "a"}}, nil },
				Input:  Input{Format: "csv", Stdin: strings.NewReader(text)},
				Output: Output{Format: "csv", Stdout: &out, Preview: 2},
				Run: Run{Allocator: mem, Progress: func(phase Phase, _, _ int64) {
					if len(phases) == 0 || phases[len(phases)-1] != phase {
						phases = append(phases, phase)
					}
				}}})
		require.Equal(t, sorted, out.String())
		require.EqualValues(t, 2, result.Preview.NumRows())
		require.EqualValues(t, 3, result.Rows)
		require.Contains(t, phases, PhaseTypes)
		result.Preview.Release()
	}
}

// TestHead: the first rows of an output are the same whether it is sorted as a table, in runs, or copied.
func TestHead(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, pairsSchema, 2, func(i int) arrow.Record { return pairs(i*20_000, 20_000, i*10, i*10+9) })
	for name, c := range map[string]struct {
		files []string
		opts  Options
	}{
		"a table": {[]string{in},
			Options{Keys: []arrowsort.Key{{Path: "key"}, {Path: "row", Order: arrowsort.Descending}}}},
		"merged": {[]string{in, in}, Options{Keys: []arrowsort.Key{{Path: "key"}}}},
		"copied": {[]string{in}, Options{Keys: []arrowsort.Key{{Path: "key"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			c.opts.Run.Allocator, c.opts.Output.Preview = mem, 7
			result := sortFiles(t, c.files, filepath.Join(t.TempDir(), "out.parquet"), c.opts)
			defer result.Preview.Release()
			require.Equal(t, name == "copied", result.Copied)
			require.EqualValues(t, 7, result.Preview.NumRows())
			key := result.Preview.Column(result.Preview.Schema().FieldIndices("key")[0]).Data().Chunk(0)
			require.Equal(t, "0", key.ValueStr(0))
		})
	}
}

// TestTableOfLittleMemory: a table whose rows are gathered when they are written, as there is no memory for a second
// one, becomes the same file as one whose columns move, with rows of every type that tie, and with a limit.
func TestTableOfLittleMemory(t *testing.T) {
	const rows = 1200
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 31))
	all := everyType().Fields()
	schema := arrow.NewSchema(append(all[:1:1], all[2:]...), nil)
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, schema, 2, func(batch int) arrow.Record {
		numbers := array.NewInt64Builder(memory.DefaultAllocator)
		for range rows {
			numbers.Append(r.Int64N(100))
		}
		columns := append([]arrow.Array{numbers.NewArray()}, randomColumns(r, schema.Fields()[1:], rows, batch)...)
		return array.NewRecord(schema, columns, rows)
	})
	for _, limit := range []int64{0, 500} {
		var files [2][]byte
		budget := int64(1 << 30)
		for i := range files {
			opts := Options{Keys: []arrowsort.Key{{Path: "row"}}, Rows: Rows{Limit: limit},
				Memory: Memory{Budget: budget, SpillDir: folder}, Output: Output{Format: "parquet", RowGroupRows: 700}}
			described := explained(t, []string{in}, opts)
			table := described.Strategy.Table
			require.True(t, described.Strategy.InMemory, "a table of %d bytes in %d", table, budget)
			require.Equal(t, i == 0, extsort.Budget{Total: budget}.Holds(4*table),
				"a table of %d bytes in %d", table, budget)
			out := filepath.Join(folder, "out.parquet")
			sortFiles(t, []string{in}, out, opts)
			files[i], budget = readFile(t, out), 4*table
		}
		require.True(t, bytes.Equal(files[0], files[1]), "the files with limit %d", limit)
	}
}
