package parquetsort

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
)

func TestMergeNamesTheRowThatIsNotInOrder(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 4))
	good, bad := filepath.Join(folder, "good.parquet"), filepath.Join(folder, "bad.arrows")
	generateNumbers(t, good, r, 0, 3, 1000)
	generate(t, bad, sorttest.NumbersSchema, 3, func(batch int) arrow.Record {
		return sorttest.Numbers(memory.DefaultAllocator, r, []int{0, 5000, 4000}[batch], 1000)
	})
	mem := arrowtest.Checked(t)
	opts := Options{Keys: []arrowsort.Key{{Path: "row"}}, Run: Run{Allocator: mem},
		Memory: Memory{SpillDir: t.TempDir()}}
	_, err := Merge(t.Context(), []string{good, bad}, filepath.Join(folder, "out.parquet"), opts)
	require.ErrorIs(t, err, ErrUnsorted)
	require.ErrorContains(t, err, bad+": row 2000")
	require.Equal(t, []string{"bad.arrows", "good.parquet"}, names(t, folder))
	requireEmpty(t, opts.Memory.SpillDir)
}

func TestMergeOfSortedFiles(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(2, 4))
	keys := numberKeys["float descending, key"]
	var files, sorted []string
	for i := range 7 {
		files = append(files, filepath.Join(folder, string(rune('a'+i))+".parquet"))
		sorted = append(sorted, filepath.Join(folder, "sorted", filepath.Base(files[i])))
		generateNumbers(t, files[i], r, 100_000*i, i, 10_000)
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "sorted"), 0o700))
	for i := range files {
		sortFiles(t, files[i:i+1], sorted[i], Options{Keys: keys})
	}
	mem := arrowtest.Checked(t)
	out := filepath.Join(folder, "out.parquet")
	result := mergeFiles(t, sorted, out,
		Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()}, Run: Run{Allocator: mem}})
	require.EqualValues(t, 210_000, result.Rows)
	require.Equal(t, sorted, result.Inputs)
	requireSorted(t, files, []string{out}, keys)
}

// TestKeysThatAlwaysTie: a struct without fields has no columns to compare, so all rows keep their order.
func TestKeysThatAlwaysTie(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "row", Type: arrow.PrimitiveTypes.Int64},
		{Name: "k", Type: arrow.StructOf()}}, nil)
	folder := t.TempDir()
	inputs := []string{filepath.Join(folder, "a.arrows"), filepath.Join(folder, "b.arrows")}
	for file, in := range inputs {
		generate(t, in, schema, 2, func(batch int) arrow.Record {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			defer b.Release()
			for row := range 10 {
				b.Field(0).(*array.Int64Builder).Append(int64(file*20 + batch*10 + row))
				b.Field(1).(*array.StructBuilder).Append(true)
			}
			return b.NewRecord()
		})
	}
	for _, run := range []func(context.Context, []string, string, Options) (*Result, error){Sort, Merge} {
		out := filepath.Join(folder, "out.arrows")
		_, err := run(t.Context(), inputs, out, Options{Keys: []arrowsort.Key{{Path: "k"}},
			Memory: Memory{SpillDir: folder}})
		require.NoError(t, err)
		next := int64(0)
		eachBatch(t, []string{out}, func(rec arrow.Record) {
			for _, row := range rec.Column(0).(*array.Int64).Int64Values() {
				require.Equal(t, next, row)
				next++
			}
		})
		require.EqualValues(t, 40, next)
	}
}
