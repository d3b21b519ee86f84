package beamsort

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func TestMain(m *testing.M) {
	if address := os.Getenv("BEAMSORT_TEST_RUNNER"); address != "" {
		serveRunner(address)
	}
	flag.Parse()
	log.SetupLogging("error", "text")
	beam.Init()
	if input := os.Getenv("BEAMSORT_TEST_INPUT"); input != "" {
		sortAndExit(input, os.Getenv("BEAMSORT_TEST_OUTPUT"))
	}
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

// requireSorted compares the shards, one after the other, with what package parquetsort makes of the inputs in one
// file: all rows, the order in and between shards, and that of ties.
func requireSorted(t *testing.T, inputs, shards []string, keys []arrowsort.Key) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sorted.parquet")
	_, err := parquetsort.Sort(t.Context(), inputs, path, parquetsort.Options{Keys: keys})
	require.NoError(t, err)
	want, got := readAll(t, []string{path}), readAll(t, shards)
	require.Equal(t, want.NumRows(), got.NumRows())
	for i := range int(want.NumCols()) {
		require.Equal(t, want.Schema().Field(i).Name, got.Schema().Field(i).Name)
		require.Equal(t, arrowtest.Values(want.Column(i).Data()), arrowtest.Values(got.Column(i).Data()))
	}
}

func TestShardsAreTheSortedFiles(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	for i := range 3 {
		table := numbers(uint64(i), 10_000, 50, i*10_000)
		paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.parquet", i), table, 3000))
	}
	paths = append(paths, writeFile(t, in, "3.arrow", numbers(7, 5000, 50, 30_000), 0))
	keys := []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}
	shards := sortFiles(t, []string{in}, out, keys, Options{Shards: 4})
	require.Len(t, shards, 4)
	requireSorted(t, paths, shards, keys)
	for _, s := range shards {
		rows := readAll(t, []string{s}).NumRows()
		require.InDelta(t, 35_000/4, rows, 35_000/4*0.2, s)
	}
	orders, err := parquetsort.DeclaredOrders(t.Context(), shards, parquetsort.FooterOptions{})
	require.NoError(t, err)
	for _, o := range orders {
		require.Equal(t, keys, o.Keys, o.File)
	}
	first := readBytes(t, shards)
	require.Equal(t, shards, sortFiles(t, []string{in}, out, keys, Options{Shards: 4}))
	require.Equal(t, first, readBytes(t, shards), "a second run writes the same")
}

func readBytes(t *testing.T, paths []string) [][]byte {
	t.Helper()
	var all [][]byte
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, b)
	}
	return all
}

// TestManyFiles: 200 of 37 rows each, so that most parts and shards are small.
func TestManyFiles(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	var paths []string
	for i := range 200 {
		paths = append(paths, writeFile(t, in, fmt.Sprintf("%03d.parquet", i), numbers(uint64(i), 37, 5, i*37), 0))
	}
	keys := []arrowsort.Key{{Path: "key"}}
	requireSorted(t, paths, sortFiles(t, paths, out, keys, Options{Shards: 3}), keys)
}

// TestRunnerInAnotherProcess runs the pipeline on a Prism that is another process: references or batches cross gRPC.
func TestRunnerInAnotherProcess(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	runner := exec.Command(os.Args[0])
	runner.Env = append(os.Environ(), "BEAMSORT_TEST_RUNNER="+address)
	require.NoError(t, runner.Start())
	t.Cleanup(func() {
		runner.Process.Kill()
		runner.Wait()
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	endpoint, environment := *jobopts.Endpoint, *jobopts.EnvironmentType
	defer func() { *jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, environment }()
	*jobopts.Endpoint, *jobopts.EnvironmentType = address, "loopback"
	path := writeFile(t, t.TempDir(), "x.parquet", numbers(1, 20_000, 1000, 0), 5000)
	keys := []arrowsort.Key{{Path: "key"}}
	for _, runner := range []bool{false, true} {
		opts := Options{Shards: 3, RunnerShuffle: runner}
		requireSorted(t, []string{path}, sortFiles(t, []string{path}, t.TempDir(), keys, opts), keys)
	}
}

// serveRunner is the other process.
func serveRunner(address string) {
	_, text, _ := net.SplitHostPort(address)
	port, _ := strconv.Atoi(text)
	if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
		panic(err)
	}
	select {}
}

// TestShardsByLists: splitters, which are rows of bytes, and the sorts of the shards have one order of lists.
func TestShardsByLists(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var paths []string
	for i := range 3 {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		lists := arrowtest.Random(rng, schema.Field(0).Type, 4000, 0.1, memory.DefaultAllocator)
		numbered := numbers(uint64(i), 4000, 1, i*4000)
		rec := array.NewRecord(schema, []arrow.Array{lists, numbered.Column(1).Data().Chunk(0)}, 4000)
		table := array.NewTableFromRecords(schema, []arrow.Record{rec})
		paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.parquet", i), table, 1000))
	}
	keys := []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}
	shards := sortFiles(t, paths, out, keys, Options{Shards: 4})
	require.Len(t, shards, 4)
	requireSorted(t, paths, shards, keys)
}
