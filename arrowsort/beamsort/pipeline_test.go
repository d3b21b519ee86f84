package beamsort

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// sortFiles runs the pipeline on an embedded Prism and returns the shards.
func sortFiles(t *testing.T, inputs []string, output string, keys []arrowsort.Key, opts Options) []string {
	t.Helper()
	p, scope := beam.NewPipelineWithRoot()
	_, err := Sort(t.Context(), scope, inputs, output, keys, opts)
	require.NoError(t, err)
	_, err = prism.Execute(context.Background(), p)
	require.NoError(t, err)
	shards, err := shardsIn(t.Context(), output)
	require.NoError(t, err)
	return shards
}

// numbers is a table with a key of few values, where rows tie, and the number of the row.
func numbers(seed uint64, rows, values, first int) arrow.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(r.Int64N(int64(values)))
		b.Field(1).(*array.Int64Builder).Append(int64(first + i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(schema, []arrow.Record{rec})
}

// writeFile writes a table as a file of a folder.
func writeFile(t *testing.T, folder, name string, table arrow.Table, groupRows int) string {
	t.Helper()
	path := filepath.Join(folder, name)
	opts := tablefile.WriteOptions{RowGroupRows: groupRows}
	_, err := tablefile.Write(t.Context(), path, table, opts)
	require.NoError(t, err)
	return path
}

// readAll is the rows of files, one after the other.
func readAll(t *testing.T, paths []string) arrow.Table {
	t.Helper()
	var records []arrow.Record
	var schema *arrow.Schema
	for _, path := range paths {
		in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{})
		require.NoError(t, err)
		schema = in.Table.Schema()
		r := array.NewTableReader(in.Table, -1)
		for r.Next() {
			r.Record().Retain()
			records = append(records, r.Record())
		}
	}
	return array.NewTableFromRecords(schema, records)
}

func TestSortsFiles(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	for i := range 3 {
		paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.parquet", i), numbers(uint64(i), 10_000, 50, i*10_000), 3000))
	}
	keys := []arrowsort.Key{{Path: "key"}}
	shards := sortFiles(t, paths, out, keys, Options{Shards: 4})
	require.Len(t, shards, 4)
	got := readAll(t, shards)
	require.EqualValues(t, 30_000, got.NumRows())
	want, err := arrowsort.Sort(t.Context(), readAll(t, paths), keys, arrowsort.Options{})
	require.NoError(t, err)
	require.True(t, array.TableEqual(want, got), "%v", shards)
	for _, s := range shards {
		t.Log(readAll(t, []string{s}).NumRows())
	}
}
