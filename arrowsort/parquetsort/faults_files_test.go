package parquetsort

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// inTheMiddle is a function of Progress that does something once, in the middle of a phase.
func inTheMiddle(phase Phase, do func()) (progress func(Phase, int64, int64), done func() bool) {
	was := false
	return func(now Phase, read, total int64) {
		if now == phase && 2*read > total && !was {
			was = true
			do()
		}
	}, func() bool { return was }
}

func TestOutputFolderThatVanishes(t *testing.T) {
	folder, spill, outputs := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "outputs")
	require.NoError(t, os.Mkdir(outputs, 0o700))
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(outputs, "out.parquet")
	progress, done := inTheMiddle(PhaseWrite, func() { require.NoError(t, os.RemoveAll(outputs)) })
	_, err := Sort(t.Context(), []string{in}, out,
		Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: spill},
			Run: Run{Progress: progress}})
	require.True(t, done(), "%v", err)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, err.Error(), out)
	requireEmpty(t, spill)
	require.NoDirExists(t, outputs)
}

// TestInputThatShrinks is cut while it is read, as by somebody who writes it anew.
func TestInputThatShrinks(t *testing.T) {
	for _, keep := range []int64{0, 2} {
		folder, spill := t.TempDir(), t.TempDir()
		in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
		progress, done := inTheMiddle(PhaseRead, func() {
			info, err := os.Stat(in)
			require.NoError(t, err)
			size := int64(0)
			if keep > 0 {
				size = info.Size() / keep
			}
			require.NoError(t, os.Truncate(in, size))
		})
		_, err := Sort(t.Context(), []string{in}, out,
			Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: spill},
				Run: Run{Progress: progress}})
		require.True(t, done(), "%v", err)
		require.Error(t, err)
		require.Contains(t, err.Error(), in)
		requireEmpty(t, spill)
		require.Equal(t, []string{"in.parquet"}, names(t, folder))
	}
}

// TestOutputInPlaceOfItsInput is complete, since an input is read to its end before the output gets its name.
func TestOutputInPlaceOfItsInput(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, original := manyNumbers(t, folder, "in.parquet"), manyNumbers(t, t.TempDir(), "in.parquet")
	for _, merge := range []bool{false, true} {
		sort := Sort
		if merge {
			sort = Merge
		}
		_, err := sort(t.Context(), []string{in}, in,
			Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: spill}})
		require.NoError(t, err)
		requireSorted(t, []string{original}, []string{in}, numberKeys["key"])
		require.Equal(t, []string{"in.parquet"}, names(t, folder))
		requireEmpty(t, spill)
	}
}

// TestOutputAmongItsInputs is refused: a second sort of the folder would take the rows of the first for others.
func TestOutputAmongItsInputs(t *testing.T) {
	folder := t.TempDir()
	claiming(t, filepath.Join(folder, "a.parquet"), 3000, tablefile.SortingColumn{Path: "row"})
	opts := Options{Keys: []arrowsort.Key{{Path: "row"}}}
	out := filepath.Join(folder, "out.parquet")
	split := opts
	split.Output.RowsPerFile = 2000
	for _, o := range []Options{opts, split} {
		_, err := Sort(t.Context(), []string{folder}, out, o)
		require.NoError(t, err)
		before := digestOf(t, filepath.Join(folder, "a.parquet"))
		for _, inputs := range []string{folder, filepath.Join(folder, "*.parquet")} {
			_, err = Sort(t.Context(), []string{inputs}, out, o)
			require.ErrorIs(t, err, ErrOption)
			require.Contains(t, err.Error(), filepath.Join(folder, "out"))
			_, err = Merge(t.Context(), []string{inputs}, out, o)
			require.ErrorIs(t, err, ErrOption)
		}
		require.Equal(t, before, digestOf(t, filepath.Join(folder, "a.parquet")))
		made, err := filepath.Glob(filepath.Join(folder, "out*"))
		require.NoError(t, err)
		for _, path := range made {
			require.NoError(t, os.Remove(path))
		}
	}
}
