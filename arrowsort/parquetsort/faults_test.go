package parquetsort

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// fault is a sort that fails: what is wrong is done at a phase. Afterwards the output is as it was before, the input is
// untouched, nothing is left in the spill folder and no memory is held.
func fault(t *testing.T, phase Phase, wrong func(ctx context.CancelCauseFunc, spill string)) error {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	require.NoError(t, os.WriteFile(out, []byte("old"), 0o600))
	before := readFile(t, in)
	mem := arrowtest.Checked(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := false
	_, failure := Sort(ctx, []string{in}, out,
		Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: spill},
			Run: Run{Allocator: mem, Progress: func(now Phase, read, total int64) {
				if now == phase && 2*read > total && !done {
					done = true
					wrong(cancel, spill)
				}
			}}})
	require.Error(t, failure)
	require.True(t, done, "the sort failed before: %v", failure)
	requireEmpty(t, spill)
	require.Equal(t, []string{"in.parquet", "out.parquet"}, names(t, folder))
	b := readFile(t, out)
	require.Equal(t, "old", string(b))
	after := readFile(t, in)
	require.Equal(t, before, after)
	return failure
}

func TestCancelledSortLeavesNothing(t *testing.T) {
	why := errors.New("enough")
	for _, phase := range []Phase{PhaseRead, PhaseWrite} {
		t.Run(string(phase), func(t *testing.T) {
			err := fault(t, phase, func(cancel context.CancelCauseFunc, _ string) { cancel(why) })
			require.True(t, errors.Is(err, why) || errors.Is(err, context.Canceled), "%v", err)
		})
	}
}

func TestTruncatedRunIsAnError(t *testing.T) {
	for name, keep := range map[string]int64{"half": 2, "but for the end marker": 1} {
		t.Run(name, func(t *testing.T) {
			err := fault(t, PhaseRead, func(_ context.CancelCauseFunc, spill string) {
				runs, err := filepath.Glob(filepath.Join(spill, "*", "run-1.arrows"))
				require.NoError(t, err)
				require.Len(t, runs, 1)
				info, err := os.Stat(runs[0])
				require.NoError(t, err)
				size := info.Size() / keep
				if keep == 1 {
					size -= 8
				}
				require.NoError(t, os.Truncate(runs[0], size))
			})
			require.ErrorIs(t, err, tablefile.ErrCorrupt)
			require.Contains(t, err.Error(), "run-1.arrows")
		})
	}
}

func TestSpillFolderThatVanishes(t *testing.T) {
	fault(t, PhaseRead, func(_ context.CancelCauseFunc, spill string) {
		folders, err := filepath.Glob(filepath.Join(spill, "*"))
		require.NoError(t, err)
		for _, f := range folders {
			require.NoError(t, os.RemoveAll(f))
		}
	})
}

func TestUnreadableInput(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	good, bad := manyNumbers(t, folder, "a.parquet"), manyNumbers(t, folder, "b.parquet")
	b := readFile(t, bad)
	clear(b[len(b)/2 : len(b)/2+1<<20]) // footer and first row groups are whole
	require.NoError(t, os.WriteFile(bad, b, 0o600))
	out := filepath.Join(folder, "out.parquet")
	_, err := Sort(t.Context(), []string{good, bad}, out,
		Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory, SpillDir: spill}})
	require.ErrorIs(t, err, tablefile.ErrCorrupt)
	require.Contains(t, err.Error(), bad)
	requireEmpty(t, spill)
	require.NoFileExists(t, out)
}

func TestSchemasThatDiffer(t *testing.T) {
	field := func(name string, typ arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: typ} }
	a := []arrow.Field{field("x", arrow.PrimitiveTypes.Int64), field("y", arrow.BinaryTypes.String)}
	for name, c := range map[string]struct {
		fields []arrow.Field
		wants  string
	}{
		"another order and nullable": {[]arrow.Field{{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}, a[0]},
			""},
		"another type": {[]arrow.Field{a[0], field("y", arrow.BinaryTypes.Binary)},
			`column "y" is of type binary`},
		"a column less":  {a[:1], `no column "y"`},
		"a column more":  {append(a[:2:2], field("z", arrow.PrimitiveTypes.Int8)), `a column "z"`},
		"a column twice": {append(a[:2:2], a[1]), "3 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			first, second := filepath.Join(folder, "1.arrow"), filepath.Join(folder, "2.arrow")
			generate(t, first, arrow.NewSchema(a, nil), 0, nil)
			generate(t, second, arrow.NewSchema(c.fields, nil), 0, nil)
			result, err := Sort(t.Context(), []string{first, second}, filepath.Join(folder, "out.parquet"),
				Options{Keys: []arrowsort.Key{{Path: "x"}}})
			if c.wants == "" {
				require.NoError(t, err)
				require.Equal(t, 2, result.Columns)
				return
			}
			require.ErrorIs(t, err, ErrSchema)
			require.Contains(t, err.Error(), second)
			require.Contains(t, err.Error(), c.wants)
		})
	}
}

func TestRowsOfFilesInAnotherOrderOfColumns(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 9))
	first, second, third := filepath.Join(folder, "1.parquet"), filepath.Join(folder, "2.parquet"),
		filepath.Join(folder, "3.parquet")
	generateNumbers(t, first, r, 0, 1, 1000)
	table := arrangeFile(t, first, 2, 0, 1)
	generate(t, second, table.Schema(), 1, func(int) arrow.Record {
		r := array.NewTableReader(table, 0)
		require.True(t, r.Next())
		return r.Record()
	})
	sortFiles(t, []string{first, second}, third, Options{Keys: []arrowsort.Key{{Path: "row"}}})
	got, want := digestOf(t, third), digestOf(t, first)
	require.Equal(t, sorttest.Digest{Rows: 2 * want.Rows, Sum: 2 * want.Sum}, got)
}

// arrangeFile reads a file and gives its columns another order.
func arrangeFile(t *testing.T, path string, order ...int) arrow.Table {
	in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{})
	require.NoError(t, err)
	var fields []arrow.Field
	for _, c := range order {
		fields = append(fields, in.Table.Schema().Field(c))
	}
	table, err := dataset.Arrange(t.Context(), in.Table, arrow.NewSchema(fields, nil), take.Options{})
	require.NoError(t, err)
	return table
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for name, opts := range map[string]Options{
		"memory": {Memory: Memory{Budget: 1}}, "row groups": {Output: Output{RowGroupRows: -1}},
		"pages":         {Output: Output{PageRows: -1}},
		"rows per file": {Output: Output{RowsPerFile: -1}}, "bytes per file": {Output: Output{BytesPerFile: -1}},
		"limit":   {Rows: Rows{Limit: -1}},
		"threads": {Run: Run{Threads: -1}},
		"spill":   {Memory: Memory{SpillCompression: "gzip"}}, "compression": {Output: Output{Compression: "zstd:99"}},
		"format": {Input: Input{Format: "csv"}},
	} {
		opts.Keys = []arrowsort.Key{{}}
		_, err := Sort(t.Context(), nil, "out.parquet", opts)
		require.ErrorIs(t, err, ErrOption, name)
	}
	_, err := Sort(t.Context(), nil, "out.parquet", Options{})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	in := manyNumbers(t, t.TempDir(), "in.parquet")
	_, err = Sort(t.Context(), []string{in}, "out.parquet",
		Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()},
			Output: Output{RowGroupRows: 1 << 20}})
	require.ErrorIs(t, err, ErrMemory)
	_, err = Sort(t.Context(), []string{in}, "out.parquet", Options{Keys: []arrowsort.Key{{Path: "no"}}})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

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
		sortFiles(t, []string{folder}, out, o)
		before := digestOf(t, filepath.Join(folder, "a.parquet"))
		for _, inputs := range []string{folder, filepath.Join(folder, "*.parquet")} {
			_, err := Sort(t.Context(), []string{inputs}, out, o)
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
