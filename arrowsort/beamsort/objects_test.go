package beamsort

import (
	"context"
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
	"github.com/arrowsort/arrowsort/arrowsort/blob"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// inMemory is an object store in memory.
var inMemory = blob.NewStore(blob.Options{})

func init() { RegisterStore(inMemory, "mem") }

// putObject puts a local file to an address of the store.
func putObject(t *testing.T, local, address string) {
	t.Helper()
	b, err := os.ReadFile(local)
	require.NoError(t, err)
	w, err := inMemory.Create(context.WithoutCancel(t.Context()), address)
	require.NoError(t, err)
	_, err = w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Commit())
}

// fetched returns the bytes that f fetches from the store.
func fetched(f func()) int64 {
	before := inMemory.Stats().BytesFetched
	f()
	return inMemory.Stats().BytesFetched - before
}

// wide is a table with a key and a payload that is 200 times as wide, and random.
func wide(rows int) arrow.Table {
	r := rand.New(rand.NewPCG(5, 6))
	keys, texts := array.NewInt64Builder(memory.DefaultAllocator), array.NewBinaryBuilder(memory.DefaultAllocator,
		arrow.BinaryTypes.Binary)
	text := make([]byte, 1600)
	for range rows {
		keys.Append(r.Int64())
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		texts.Append(text)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: arrow.BinaryTypes.Binary}}, nil)
	return array.NewTableFromSlice(schema, [][]arrow.Array{{keys.NewArray()}, {texts.NewArray()}})
}

// TestSamplesNeedTheirColumns: of an object the metadata are fetched when the pipeline is built, the columns of the
// keys for the sample, no row group twice for its rows, and the metadata not again. Nothing is copied to the disk.
func TestSamplesNeedTheirColumns(t *testing.T) {
	stage := t.TempDir()
	path := writeFile(t, t.TempDir(), "a.parquet", wide(20_000), 10_000)
	info, err := os.Stat(path)
	require.NoError(t, err)
	size := info.Size() // about 32 MB
	putObject(t, path, "mem://wide/a.parquet")
	keys, opts, ctx := []arrowsort.Key{{Path: "key"}}, Options{Shards: 3, SpillDir: stage}, t.Context()
	paths := []string{"mem://wide/a.parquet"}

	var division *parquetsort.Division
	metadata := fetched(func() {
		open := opts.opener(ctx, paths...)
		division, err = parquetsort.Divide(ctx, paths, 1, parquetsort.DivideOptions{Keys: keys, Open: open})
		require.NoError(t, err)
	})
	require.LessOrEqual(t, metadata, int64(100_000))
	with := &settings{Keys: keys, KeyColumns: division.KeyColumns, Shards: 3, Options: opts, stored: division.Stored}
	all := inputParts(division)
	require.Len(t, all, 2)
	read := func(columns []int) int64 {
		return fetched(func() {
			for _, part := range all {
				require.NoError(t, with.read(ctx, part, columns, func(arrow.Table) error { return nil }))
			}
		})
	}
	sample := read(with.KeyColumns)
	require.LessOrEqual(t, sample, size/100)
	rows := read(nil)
	require.LessOrEqual(t, rows, size)
	var shards []string
	require.LessOrEqual(t, fetched(func() { shards = sortFiles(t, paths, "memfs://wide-sorted", keys, opts) }),
		metadata+sample+rows)
	requireSorted(t, []string{path}, fetch(t, shards), keys)
	left, err := os.ReadDir(stage)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestInputsThatAreReplaced after the pipeline was built are an error that names them, also where the process forgot
// what it knew of them: the row groups of another file are not those of the parts.
func TestInputsThatAreReplaced(t *testing.T) {
	in, keys := t.TempDir(), []arrowsort.Key{{Path: "key"}}
	place := map[string]func(local, path string){
		filepath.Join(in, "x.parquet"): func(local, path string) { require.NoError(t, os.Rename(local, path)) },
		"memfs://replaced/x.parquet":   func(local, path string) { put(t, local, path) },
		"mem://replaced/x.parquet":     func(local, path string) { putObject(t, local, path) },
	}
	for path, put := range place {
		put(writeFile(t, t.TempDir(), "a.parquet", numbers(1, 1000, 10, 0), 0), path)
		p, scope := beam.NewPipelineWithRoot()
		_, err := Sort(t.Context(), scope, []string{path}, t.TempDir(), keys, Options{Shards: 2})
		require.NoError(t, err)
		put(writeFile(t, t.TempDir(), "a.parquet", numbers(1, 3000, 10, 0), 1000), path)
		forgetInputs() // as another call of Sort does
		_, err = prism.Execute(context.Background(), p)
		require.ErrorContains(t, err, path+": the file was replaced")
		require.NoError(t, Cleanup())
	}
}

// TestVersionsOfObjects differ where their sizes do not.
func TestVersionsOfObjects(t *testing.T) {
	divide := func(seed uint64) parquetsort.Part {
		local := writeFile(t, t.TempDir(), "a.arrow", numbers(seed, 1000, 10, 0), 0)
		putObject(t, local, "mem://versions/a.arrow")
		paths := []string{"mem://versions/a.arrow"}
		d, err := parquetsort.Divide(t.Context(), paths, 1, parquetsort.DivideOptions{
			Keys: []arrowsort.Key{{Path: "key"}}, Open: (&Options{}).opener(t.Context(), paths...)})
		require.NoError(t, err)
		return d.Parts[0]
	}
	a, b := divide(1), divide(2)
	require.Equal(t, a.Bytes, b.Bytes)
	require.NotEqual(t, a.Version, b.Version)
}

// TestLocalFilesBesideObjects: patterns and folders of a store, and local files, which are read where they are.
func TestLocalFilesBesideObjects(t *testing.T) {
	in := t.TempDir()
	var paths []string
	for i, name := range []string{"a.parquet", "b.arrow", "c.arrows"} {
		paths = append(paths, writeFile(t, in, name, numbers(uint64(i), 500, 10, 500*i), 0))
	}
	putObject(t, paths[1], "mem://beside/folder/b.arrow")
	putObject(t, paths[2], "mem://beside/c.arrows")
	keys := []arrowsort.Key{{Path: "key"}}
	shards := sortFiles(t, []string{paths[0], "mem://beside/folder/", "mem://beside/*.arrows"}, t.TempDir(), keys,
		Options{Shards: 2})
	requireSorted(t, paths, shards, keys)
	for input, text := range map[string]string{"mem://beside/b.csv": "CSV is not divided",
		"mem://beside/d.parquet": "no such object", "mem://beside/*.parquet": "no file matches"} {
		_, err := Sort(t.Context(), scopeOf(), []string{input}, "memfs://o", keys, Options{})
		require.ErrorContains(t, err, input)
		require.ErrorContains(t, err, text)
	}
	require.PanicsWithValue(t, `beamsort: a store of scheme "mem" is registered already`,
		func() { RegisterStore(inMemory, "mem") })
}
