package parquetsort

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// generate writes a file of batches.
func generate(t testing.TB, path string, schema *arrow.Schema, batches int, make func(batch int) arrow.Record) {
	t.Helper()
	generateWith(t, path, schema, tablefile.Compression{Codec: "none"}, batches, make)
}

// generateNumbers writes a file of batches of sorttest.Numbers, whose first row has the number first.
func generateNumbers(t testing.TB, path string, r *rand.Rand, first, batches, rows int) {
	t.Helper()
	generate(t, path, sorttest.NumbersSchema, batches, func(batch int) arrow.Record {
		return sorttest.Numbers(memory.DefaultAllocator, r, first+batch*rows, rows)
	})
}

// generateMixed writes a file of batches of sorttest.Mixed.
func generateMixed(t testing.TB, path string, r *rand.Rand, batches, rows int) {
	t.Helper()
	generate(t, path, sorttest.MixedSchema, batches, func(batch int) arrow.Record {
		return sorttest.Mixed(memory.DefaultAllocator, r, batch*rows, rows)
	})
}

// generateWith is generate with a compression.
func generateWith(t testing.TB, path string, schema *arrow.Schema, compression tablefile.Compression, batches int,
	make func(batch int) arrow.Record) {
	t.Helper()
	w, err := tablefile.Create(context.Background(), path, schema, tablefile.WriteOptions{Compression: compression})
	require.NoError(t, err)
	defer w.Abort()
	for i := range batches {
		rec := make(i)
		table := array.NewTableFromRecords(schema, []arrow.Record{rec})
		require.NoError(t, w.Write(context.Background(), table))
		table.Release()
		rec.Release()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
}

// sortFiles is Sort without an error.
func sortFiles(t testing.TB, inputs []string, output string, opts Options) *Result {
	t.Helper()
	result, err := Sort(t.Context(), inputs, output, opts)
	require.NoError(t, err)
	return result
}

// checkFiles is Check without an error.
func checkFiles(t testing.TB, files []string, opts CheckOptions) *CheckResult {
	t.Helper()
	result, err := Check(t.Context(), files, opts)
	require.NoError(t, err)
	return result
}

// layoutOf is Layout without an error.
func layoutOf(t testing.TB, files []string, opts LayoutOptions) *LayoutReport {
	t.Helper()
	result, err := Layout(t.Context(), files, opts)
	require.NoError(t, err)
	return result
}

// readTable reads a file, whose table is released with the test.
func readTable(t testing.TB, path string) *tablefile.Input {
	t.Helper()
	in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{})
	require.NoError(t, err)
	t.Cleanup(in.Table.Release)
	return in
}

// writeTable writes a file.
func writeTable(t testing.TB, path string, table arrow.Table, opts tablefile.WriteOptions) {
	t.Helper()
	_, err := tablefile.Write(t.Context(), path, table, opts)
	require.NoError(t, err)
}

var readFile = arrowtest.ReadFile

// eachBatch reads files from front to back.
func eachBatch(t testing.TB, files []string, use func(rec arrow.Record)) {
	t.Helper()
	for _, file := range files {
		s, err := tablefile.Scan(file, 1<<22, tablefile.ReadOptions{})
		require.NoError(t, err)
		for {
			table, err := s.Next(context.Background())
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			r := array.NewTableReader(table, -1)
			for r.Next() {
				use(r.Record())
			}
			r.Release()
			table.Release()
		}
		s.Close()
	}
}

func digestOf(t testing.TB, files ...string) sorttest.Digest {
	t.Helper()
	var d sorttest.Digest
	eachBatch(t, files, d.Add)
	return d
}

// requireSorted verifies sorted files completely: the rows are those of the inputs, each follows the one before it, and
// ties follow by the last column, which numbers the rows of the inputs.
func requireSorted(t testing.TB, inputs, outputs []string, keys []arrowsort.Key) {
	t.Helper()
	require.Equal(t, digestOf(t, inputs...), digestOf(t, outputs...), "not a permutation")
	var before arrow.Record
	at := int64(0)
	eachBatch(t, outputs, func(rec arrow.Record) {
		stable := append(append([]arrowsort.Key(nil), keys...), arrowsort.KeyAt(int(rec.NumCols())-1))
		parts := []arrow.Record{rec}
		if before != nil {
			parts = []arrow.Record{before, rec}
		}
		table := array.NewTableFromRecords(rec.Schema(), parts)
		sorted, row, err := arrowsort.IsSorted(context.Background(), table, stable, arrowsort.Options{})
		require.NoError(t, err)
		require.True(t, sorted, "row %d of the batch from row %d", row, at)
		table.Release()
		if before != nil {
			before.Release()
		}
		before = rec.NewSlice(rec.NumRows()-1, rec.NumRows())
		at += rec.NumRows()
	})
	if before != nil {
		before.Release()
	}
}

func requireEmpty(t testing.TB, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

var (
	makeMany sync.Once
	many     []byte // the file of manyNumbers
)

// manyNumbers is a file whose rows take about one and a half budgets of MinMemory.
func manyNumbers(t testing.TB, folder, name string) string {
	path := filepath.Join(folder, name)
	makeMany.Do(func() {
		r := rand.New(rand.NewPCG(1, 2))
		generateNumbers(t, path, r, 0, 10, 80_000)
		many = readFile(t, path)
	})
	require.NoError(t, os.WriteFile(path, many, 0o600))
	return path
}

// checking returns the options to check the files that others sort.
func checking(o Options) CheckOptions {
	return CheckOptions{Keys: o.Keys, KeysFor: o.KeysFor, Limit: o.Rows.Limit, Input: o.Input, Memory: o.Memory,
		Run: o.Run}
}

// mergeFiles is Merge without an error.
func mergeFiles(t testing.TB, inputs []string, output string, opts Options) *Result {
	t.Helper()
	result, err := Merge(t.Context(), inputs, output, opts)
	require.NoError(t, err)
	return result
}

// explained is Explain without an error.
func explained(t testing.TB, inputs []string, opts Options) *Description {
	t.Helper()
	d, err := Explain(t.Context(), inputs, opts)
	require.NoError(t, err)
	return d
}

// declaredOrders is DeclaredOrders without an error.
func declaredOrders(t testing.TB, paths []string) []DeclaredOrder {
	t.Helper()
	orders, err := DeclaredOrders(t.Context(), paths, FooterOptions{})
	require.NoError(t, err)
	return orders
}

// scanFile opens a file, which is closed with the test.
func scanFile(t testing.TB, path string, batchBytes int64, opts tablefile.ReadOptions) *tablefile.Scanner {
	t.Helper()
	s, err := tablefile.Scan(path, batchBytes, opts)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}
