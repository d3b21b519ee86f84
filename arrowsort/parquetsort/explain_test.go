package parquetsort

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestExplainIsAboutWhatSortDoes(t *testing.T) {
	folder := t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	opts := Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()}}
	told := explained(t, []string{folder}, opts)
	require.Equal(t, []string{"in.parquet"}, names(t, folder))
	requireEmpty(t, opts.Memory.SpillDir)
	done := sortFiles(t, []string{in}, out, opts)
	require.Equal(t, done.Inputs, told.Inputs)
	require.Equal(t, done.BytesIn, told.BytesIn)
	require.Equal(t, done.Columns, told.Columns)
	require.False(t, told.InMemory)
	require.InDelta(t, done.Runs, told.Runs, 1)
	require.Equal(t, 1, told.Passes)
	require.InEpsilon(t, done.BytesSpilled, told.BytesSpilled, 0.2)

	opts.Memory.Budget = 1 << 30
	told = explained(t, []string{in}, opts)
	require.True(t, told.InMemory)
	require.Zero(t, told.Runs)
	require.Zero(t, told.BytesSpilled)

	opts.Memory.Budget, opts.Keys = MinMemory, numberKeys["already sorted"]
	told = explained(t, []string{in}, opts)
	require.True(t, told.InOrder)
	require.Zero(t, told.Runs)

	for limit, spills := range map[int64]bool{1000: false, 700_000: true} {
		opts.Keys, opts.Rows.Limit = numberKeys["key"], limit
		told = explained(t, []string{in}, opts)
		require.Equal(t, spills, told.Runs > 0)
	}
}

func TestExplainOfMoreOverlappingFilesThanAreMergedAtOnce(t *testing.T) {
	folder := t.TempDir()
	for i := range 70 {
		generate(t, filepath.Join(folder, fmt.Sprintf("%02d.parquet", i)), pairsSchema, 1,
			func(int) arrow.Record { return pairs(i*10, 10, 0, 5) })
	}
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()}}
	told := explained(t, []string{folder}, opts)
	done := sortFiles(t, []string{folder}, filepath.Join(t.TempDir(), "out.parquet"), opts)
	require.True(t, told.InOrder)
	require.Equal(t, 2, done.Runs)
	require.Equal(t, done.Runs, told.Runs)
	require.Equal(t, 1, told.Passes)
}
