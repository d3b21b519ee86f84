package blob_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
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
	"github.com/arrowsort/arrowsort/arrowsort/blob"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// stores are the schemes with something to serve them, and the address of a place in them.
func stores(t *testing.T) map[string]string {
	startS3(t)
	startGCS(t)
	stores := map[string]string{"s3": "s3://bucket/data/", "gs": "gs://bucket/data/", "mem": "mem://bucket/data/",
		"file": "file://" + t.TempDir() + "/"}
	if startAzure(t) != nil {
		stores["azblob"] = "azblob://bucket/data/"
	}
	return stores
}

// table makes rows with a key that ties often, a number, and some columns of random bytes, which do not compress.
func table(r *rand.Rand, rows, wide int) arrow.Table {
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}
	for i := range wide {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("wide", i), Type: arrow.BinaryTypes.String})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for i := range rows {
		if key := r.Int64N(50); key == 0 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.Int64Builder).Append(key)
		}
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		for k := range wide {
			b.Field(2 + k).(*array.StringBuilder).Append(fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()))
		}
	}
	return array.NewTableFromRecords(b.Schema(), []arrow.Record{b.NewRecord()})
}

// write writes a table to a local file.
func write(t *testing.T, path string, table arrow.Table, groupRows int) {
	opts := tablefile.WriteOptions{}
	if strings.HasSuffix(path, ".parquet") {
		opts.RowGroupRows = groupRows
	}
	_, err := tablefile.Write(t.Context(), path, table, opts)
	require.NoError(t, err)
}

var byKey = parquetsort.Options{Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}}

// budgets are those of a sort of objects, and of the same sort of local files, which has all for itself.
const objectBudget, localBudget = 64 << 20, 48 << 20

// A sort of objects writes the bytes that a sort of local files writes, of every format, in memory and in runs, to one
// object and to several.
func TestASortOfObjectsIsThatOfLocalFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	local := t.TempDir()
	for i := range 3 {
		small, large := table(r, 500+i, 1), table(r, 60_000+i, 5)
		for _, format := range []string{"parquet", "arrow", "arrows", "csv"} {
			write(t, filepath.Join(local, fmt.Sprintf("small%d.%s", i, format)), small, 200)
		}
		write(t, filepath.Join(local, fmt.Sprintf("large%d.parquet", i)), large, 20_000)
		text, err := os.ReadFile(filepath.Join(local, fmt.Sprintf("small%d.csv", i)))
		require.NoError(t, err)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(filepath.Join(local, fmt.Sprintf("packed%d.csv.gz", i)), packed.Bytes(), 0o600))
	}
	files, err := filepath.Glob(filepath.Join(local, "*"))
	require.NoError(t, err)
	for scheme, at := range stores(t) {
		store := newStore(t, blob.Options{})
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			put(t, store, at+filepath.Base(file), content)
		}
		for _, test := range []struct {
			in, out string
			several int64
			limit   int64
		}{
			{in: "small*.parquet", out: "out.parquet"}, {in: "small*.arrow", out: "out.arrow", limit: 7},
			{in: "small*.arrows", out: "out.parquet"}, {in: "small?.csv", out: "out.csv"},
			{in: "packed*.csv.gz", out: "packed.parquet"},
			{in: "large*.parquet", out: "large.parquet"},
			{in: "large[02].parquet", out: "part.parquet", several: 50_000},
		} {
			name := scheme + " " + test.in
			opts := byKey
			opts.Output.RowsPerFile, opts.Rows.Limit = test.several, test.limit
			if strings.HasSuffix(test.out, ".parquet") {
				opts.Output.RowGroupRows = 10_000
			}
			opts.Memory.Budget, opts.Memory.SpillDir = localBudget, t.TempDir()
			folder := t.TempDir()
			want, err := parquetsort.Sort(t.Context(), []string{filepath.Join(local, test.in)},
				filepath.Join(folder, test.out), opts)
			require.NoError(t, err, name)
			opts.Memory.Budget, opts.Run.Store = objectBudget, store
			got, err := parquetsort.Sort(t.Context(), []string{at + test.in}, at+"sorted/"+test.out, opts)
			require.NoError(t, err, name)
			require.Equal(t, want.Rows, got.Rows, name)
			require.Equal(t, strings.HasPrefix(test.in, "large"), want.Runs > 0, name)
			require.Equal(t, want.Runs > 0, got.Runs > 0, name)
			require.Len(t, got.Outputs, len(want.Outputs), name)
			for i, output := range want.Outputs {
				require.Equal(t, at+"sorted/"+filepath.Base(output), got.Outputs[i])
				content, err := os.ReadFile(output)
				require.NoError(t, err)
				require.True(t, bytes.Equal(content, get(t, store, got.Outputs[i])), "%s: %s", name, output)
			}
		}
		check, err := parquetsort.Check(t.Context(), []string{at + "sorted/part-*.parquet"}, parquetsort.CheckOptions{
			Keys: byKey.Keys, Run: parquetsort.Run{Store: store}, Memory: parquetsort.Memory{Budget: objectBudget}})
		require.NoError(t, err)
		require.Nil(t, check.Violation)
	}
}
