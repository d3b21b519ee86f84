//go:build !race

package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestManyPartitions: 10,000 partitions, of more rows than fit in the budget, stay within 128 MiB and 256 open files.
func TestManyPartitions(t *testing.T) {
	partitions, budget := 200, MinMemory
	if testrun.Long() {
		partitions, budget = 10_000, 128<<20 // it takes 20 s
	}
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "part", Type: arrow.PrimitiveTypes.Int32}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	r := rand.New(rand.NewPCG(testrun.Seed(), 14))
	const batches = 16
	rows := budget / 36 / batches // which take 1.5 times as much as a run may
	generate(t, in, schema, batches, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for range rows {
			b.Field(0).(*array.Int64Builder).Append(r.Int64())
			b.Field(1).(*array.Int32Builder).Append(r.Int32N(int32(partitions)))
			b.Field(2).(*array.StringBuilder).Append(fmt.Sprint("number ", r.IntN(1_000_000)))
		}
		return b.NewRecord()
	})
	requirePeak(t, int64(budget), func() string {
		require.NoError(t, os.RemoveAll(out))
		said, err := child(t, "measure", "partition", fmt.Sprint(budget), "0", out, in).CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	})
	files, err := filepath.Glob(filepath.Join(out, "part=*", "part-00001.parquet"))
	require.NoError(t, err)
	require.Len(t, files, partitions)
	found := int64(0)
	for _, file := range files {
		found += digestRows(t, file)
	}
	require.EqualValues(t, batches*rows, found)
	require.Equal(t, []string{"in.parquet", "out"}, names(t, folder))
}
