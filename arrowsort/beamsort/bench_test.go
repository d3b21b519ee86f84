package beamsort

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

var (
	benchRows   = flag.Int("beamsort.rows", 10_000_000, "rows of BenchmarkSort")
	benchShards = flag.Int("beamsort.shards", 8, "shards of BenchmarkSort")
	benchRunner = flag.Bool("beamsort.runner", false, "rows of BenchmarkSort travel through the runner")
)

// BenchmarkSort sorts rows of 24 bytes by a random int64, from files of 10 million rows to shards, on Prism in the
// process, and checks the order and the rows of the shards. It reports the largest memory of the process as it sorts.
//
//	go test -run '^$' -bench Sort -benchtime 3x
//	go test -run '^$' -bench Sort -benchtime 1x . -beamsort.rows 100000000 -beamsort.shards 16
func BenchmarkSort(b *testing.B) {
	in, out := b.TempDir(), b.TempDir()
	var paths []string
	want := uint64(0)
	const most = 10_000_000
	for first := 0; first < *benchRows; first += most {
		paths = append(paths, filepath.Join(in, fmt.Sprintf("%03d.parquet", len(paths))))
		want += writeRandom(b, paths[len(paths)-1], min(most, *benchRows-first), first)
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak is counted from here on
	keys := []arrowsort.Key{{Path: "key"}}
	opts := Options{Shards: *benchShards, RunnerShuffle: *benchRunner}
	for b.Loop() {
		p, scope := beam.NewPipelineWithRoot()
		_, err := Sort(b.Context(), scope, paths, out, keys, opts)
		require.NoError(b, err)
		_, err = prism.Execute(context.Background(), p)
		require.NoError(b, err)
	}
	b.ReportMetric(largestMemory(b), "GB")
	shards, err := shardsIn(b.Context(), out)
	require.NoError(b, err)
	require.Len(b, shards, *benchShards)
	checked, err := parquetsort.Check(b.Context(), shards, parquetsort.CheckOptions{Keys: keys})
	require.NoError(b, err)
	require.Nil(b, checked.Violation)
	require.EqualValues(b, *benchRows, checked.Rows)
	require.Equal(b, want, sumOfFiles(b, shards), "the rows of the shards are those of the inputs")
}

// writeRandom writes a file of random keys, and returns the sum of its rows.
func writeRandom(b *testing.B, path string, rows, first int) uint64 {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64}, {Name: "value", Type: arrow.PrimitiveTypes.Float64}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	r := rand.New(rand.NewPCG(1, uint64(first)))
	for i := range rows {
		builder.Field(0).(*array.Int64Builder).Append(r.Int64())
		builder.Field(1).(*array.Int64Builder).Append(int64(first + i))
		builder.Field(2).(*array.Float64Builder).Append(r.Float64())
	}
	rec := builder.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	_, err := tablefile.Write(b.Context(), path, table, tablefile.WriteOptions{})
	require.NoError(b, err)
	return sumOfRows(table)
}

// sumOfFiles is the sum of the rows of files of writeRandom, in any order.
func sumOfFiles(b *testing.B, paths []string) (sum uint64) {
	division, err := parquetsort.Divide(b.Context(), paths, partBytes,
		parquetsort.DivideOptions{Keys: []arrowsort.Key{{Path: "key"}}})
	require.NoError(b, err)
	for _, part := range division.Parts {
		err := parquetsort.ReadPart(b.Context(), part, division.Stored, nil, parquetsort.PartOptions{},
			func(piece arrow.Table) error {
				sum += sumOfRows(piece)
				return nil
			})
		require.NoError(b, err)
	}
	return sum
}

func sumOfRows(table arrow.Table) (sum uint64) {
	r := array.NewTableReader(table, -1)
	defer r.Release()
	for r.Next() {
		keys, rows := r.Record().Column(0).(*array.Int64), r.Record().Column(1).(*array.Int64)
		values := r.Record().Column(2).(*array.Float64)
		for i := range keys.Len() {
			sum += hash(hash(uint64(keys.Value(i)), uint64(rows.Value(i))), math.Float64bits(values.Value(i)))
		}
	}
	return sum
}

// largestMemory is the peak memory of the process in 10^9 bytes, 0 on systems without /proc.
func largestMemory(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kib float64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, err := fmt.Sscan(rest, &kib)
			require.NoError(b, err)
		}
	}
	return kib * 1024 / 1e9
}
