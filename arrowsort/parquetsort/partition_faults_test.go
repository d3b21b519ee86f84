package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// contents are the files below a folder with what is in them, and the kinds of all else.
func contents(t *testing.T, root string) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			found[path] = e.Type().String()
			return err
		}
		b, err := os.ReadFile(path)
		found[path] = string(b)
		return err
	}))
	return found
}

// byX are the options to sort some rows of sorttest.NumbersSchema into partitions by their keys.
func byX(t *testing.T, folder string, r *rand.Rand, rows int) (in []string, opts Options) {
	path := filepath.Join(folder, "in.parquet")
	generateNumbers(t, path, r, 0, 1, rows)
	return []string{path}, Options{Keys: []arrowsort.Key{{Path: "x"}, {Path: "row"}},
		Output: Output{PartitionBy: []string{"key"}}}
}

// TestPartitionsAppearTogether: a sort that is cancelled, or that cannot give its last folder its name, leaves the
// folder of the output as it was: not there, empty, or with partitions of an earlier sort.
func TestPartitionsAppearTogether(t *testing.T) {
	enough := errors.New("enough")
	for name, prepare := range map[string]func(out string, in []string, opts *Options){
		"no folder":    func(string, []string, *Options) {},
		"empty folder": func(out string, _ []string, _ *Options) { require.NoError(t, os.Mkdir(out, 0o700)) },
		"partitions": func(out string, in []string, opts *Options) {
			sortFiles(t, in, out, *opts)
			require.NoError(t, os.WriteFile(filepath.Join(out, "_SUCCESS"), nil, 0o600))
			require.NoError(t, os.RemoveAll(filepath.Join(out, names(t, out)[3])))
			opts.Output.Overwrite = true
		},
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			folder := t.TempDir()
			out := filepath.Join(folder, "out")
			in, opts := byX(t, folder, rand.New(rand.NewPCG(3, 4)), 50)
			prepare(out, in, &opts)
			before := contents(t, folder)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			opts.Run.Allocator = mem
			opts.Run.Progress = func(phase Phase, done, _ int64) {
				if phase == PhaseWrite && done > 10 {
					cancel(enough)
				}
			}
			_, err := Sort(ctx, in, out, opts)
			require.ErrorIs(t, err, enough)
			require.Equal(t, before, contents(t, folder))
		})
	}
}

// TestPartitionsThatCannotGetTheirNames: when something else takes the name of the output or of its last partition
// meanwhile, that stays, and nothing is added.
func TestPartitionsThatCannotGetTheirNames(t *testing.T) {
	for _, isThere := range []bool{false, true} {
		folder := t.TempDir()
		out := filepath.Join(folder, "out")
		in, opts := byX(t, folder, rand.New(rand.NewPCG(3, 4)), 50)
		first := sortFiles(t, in, filepath.Join(t.TempDir(), "out"), opts)
		taken := out
		if isThere {
			require.NoError(t, os.Mkdir(out, 0o700))
			taken = filepath.Join(out, filepath.Base(filepath.Dir(first.Outputs[len(first.Outputs)-1])))
		}
		before := contents(t, folder)
		before[taken] = "precious"
		opts.Run.Progress = func(phase Phase, done, total int64) {
			if phase == PhaseWrite && done == total {
				require.NoError(t, os.WriteFile(taken, []byte("precious"), 0o600))
			}
		}
		_, err := Sort(t.Context(), in, out, opts)
		require.ErrorContains(t, err, taken+": ")
		require.Equal(t, before, contents(t, folder))
	}
}

// TestOverwrittenPartitions: the partitions that are written replace those of the same values, with all that was in
// them; others stay, and so do hidden files.
func TestOverwrittenPartitions(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	r := rand.New(rand.NewPCG(5, 6))
	in, opts := byX(t, folder, r, 60)
	opts.Output.RowsPerFile = 1
	first := sortFiles(t, in, out, opts)
	stays := filepath.Join(out, "key=-12", "part-00001.parquet")
	require.NoError(t, os.MkdirAll(filepath.Dir(stays), 0o700))
	for _, path := range []string{stays, filepath.Join(out, "_SUCCESS"), filepath.Join(out, ".hidden")} {
		require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	}
	opts.Output.RowsPerFile = 0
	_, err := Sort(t.Context(), in, out, opts)
	require.ErrorContains(t, err, out+" is not empty, it has key=")
	opts.Output.Overwrite = true
	second := sortFiles(t, in, out, opts)
	require.Equal(t, first.Rows, second.Rows)
	require.Less(t, len(second.Outputs), len(first.Outputs))
	found := contents(t, out)
	for _, path := range []string{stays, filepath.Join(out, "_SUCCESS"), filepath.Join(out, ".hidden")} {
		require.Equal(t, "precious", found[path])
		delete(found, path)
	}
	files := 0
	for path := range found {
		if filepath.Ext(path) != "" {
			files++
			require.Equal(t, "part-00001.parquet", filepath.Base(path))
		}
	}
	require.Equal(t, len(second.Outputs), files)
	require.Equal(t, []string{"in.parquet", "out"}, names(t, folder))
}

// TestOneSortWritesToAFolder: another one to the same folder is an error that says which process writes to it, and
// changes nothing. Of sorts that begin at the same time all partitions are those of one.
func TestOneSortWritesToAFolder(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	r := rand.New(rand.NewPCG(11, 12))
	in, opts := byX(t, folder, r, 60)
	sortFiles(t, in, out, opts)
	opts.Output.Overwrite = true
	folders := names(t, out)
	other, err := atomicfile.NewTree(out, true)
	require.NoError(t, err)
	before := contents(t, folder)
	opts.Run.Progress = func(phase Phase, _, _ int64) { require.NotContains(t, []Phase{PhaseRead, PhaseWrite}, phase) }
	_, err = Sort(t.Context(), in, out, opts)
	holder := fmt.Sprintf("process %d on ", os.Getpid())
	require.ErrorContains(t, err, out+": another sort writes to the folder: "+holder)
	require.Equal(t, before, contents(t, folder))
	other.Remove()

	opts.Run.Progress = nil
	const sorts = 4 // with 1 to 4 rows in each file
	errs := make([]error, sorts)
	var together sync.WaitGroup
	for i := range sorts {
		together.Go(func() {
			of := opts
			of.Output.RowsPerFile = int64(i + 1)
			_, errs[i] = Sort(t.Context(), in, out, of)
		})
	}
	together.Wait()
	require.Contains(t, errs, nil)
	for _, err := range errs {
		if err != nil {
			require.ErrorContains(t, err, "another sort writes to the folder: ")
		}
	}
	isOf := func(rowsPerFile int) bool {
		for partition, rows := range inFolders(t, out) {
			if len(names(t, filepath.Join(out, partition))) != (len(rows)+rowsPerFile-1)/rowsPerFile {
				return false
			}
		}
		return true
	}
	require.True(t, slices.ContainsFunc([]int{1, 2, 3, 4}, func(n int) bool { return errs[n-1] == nil && isOf(n) }))
	require.Equal(t, []string{"in.parquet", "out"}, names(t, folder))
	require.Equal(t, folders, names(t, out), "no lock stays")
}

// TestPartitionsOfOthers: what is in the folder of the output and is no partition by the same columns is an error
// before any work, and stays.
func TestPartitionsOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for path, says := range map[string]string{
		"notes.txt":                          `notes.txt is no partition by column "key"`,
		"x=1/part-00001.parquet":             `x=1 is no partition by column "key"`,
		"part-00001.parquet":                 `part-00001.parquet is no partition by column "key"`,
		"key=5/x=1/part-00001.parquet":       "x=1 is a folder in a partition",
		"key=__HIVE_DEFAULT_PARTITION__/a/b": "a is a folder in a partition",
		"key=5/.notes/a":                     ".notes is a folder in a partition",
		"key=5/_SUCCESS":                     "_SUCCESS is no file of rows in a partition",
		"key=5/.a.parquet":                   ".a.parquet is no file of rows in a partition",
		"key=5/notes.txt":                    "notes.txt is no file of rows in a partition, which would",
		"_delta_log/0.json":                  "has a _delta_log",
	} {
		folder := t.TempDir()
		out := filepath.Join(folder, "out")
		in, opts := byX(t, folder, r, 20)
		opts.Output.Overwrite = true
		opts.Run.Progress = func(phase Phase, _, _ int64) { t.Errorf("%s: %s began", path, phase) }
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(out, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(out, path), []byte("precious"), 0o600))
		before := contents(t, folder)
		_, err := Sort(t.Context(), in, out, opts)
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, says)
		require.Equal(t, before, contents(t, folder))
	}
}

// TestPartitionsThatReadersLeaveOut: columns whose folders would be hidden are an error before any work.
func TestPartitionsThatReadersLeaveOut(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	for _, name := range []string{"_x", ".x", "_", "."} {
		schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.PrimitiveTypes.Int32},
			{Name: "row", Type: arrow.PrimitiveTypes.Int32}, {Name: "x", Type: arrow.PrimitiveTypes.Int32}}, nil)
		none := array.NewTableFromSlice(schema, make([][]arrow.Array, 3))
		writeTable(t, in, none, tablefile.WriteOptions{})
		for _, by := range [][]string{{name}, {"row", name}} {
			_, err := Sort(t.Context(), []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "row"}},
				Output: Output{PartitionBy: by}})
			require.ErrorIs(t, err, ErrOption, name)
			require.ErrorContains(t, err, "cannot name folders")
			require.ErrorContains(t, err, "rename it first")
			require.NoDirExists(t, out)
		}
	}
}

// TestPartitionOptions: what does not go with partitions is an error before any work that names the option.
func TestPartitionOptions(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(9, 10))
	in, _ := byX(t, folder, r, 20)
	out, file, link := filepath.Join(folder, "out"), filepath.Join(folder, "file"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(folder, "nothing"), link))
	before := contents(t, folder)
	none, by := func(*Options) {}, func(columns ...string) func(*Options) {
		return func(o *Options) { o.Output.PartitionBy = columns }
	}
	for says, c := range map[string]struct {
		out string
		set func(o *Options)
	}{
		"PartitionBy goes with neither Limit nor Tail":                {out, func(o *Options) { o.Rows.Limit = 1 }},
		"neither Limit nor Tail, which":                               {out, func(o *Options) { o.Rows.Tail = 1 }},
		`PartitionBy: 0 columns are named "nothing"`:                  {out, by("nothing")},
		`PartitionBy names column "key" twice`:                        {out, by("key", "#1")},
		`PartitionBy: column "x" of type float64 cannot name folders`: {out, by("x")},
		"Overwrite replaces partitions, and there is " +
			"no": {out, func(o *Options) { o.Output = Output{Overwrite: true} }},
		"PartitionBy names all columns that are written":   {out, func(o *Options) { o.Columns = []string{"key"} }},
		"PartitionBy writes folders, which cannot go to":   {tablefile.Pipe, none},
		"is no folder, and partitions are folders":         {file, none},
		"a link to a folder that is not there":             {link, none},
		"there is no folder " + filepath.Join(folder, "a"): {filepath.Join(folder, "a", "b"), none},
		"in.parquet is in the folder of the output: write": {folder, func(o *Options) { o.Output.Overwrite = true }},
		"must specify one or more sort keys":               {out, func(o *Options) { o.Keys = nil }},
		`no match for key "nothing"`:                       {out, func(o *Options) { o.Keys[0].Path = "nothing" }},
		"Output.Format: unknown":                           {out, func(o *Options) { o.Output.Format = "orc" }},
	} {
		opts := Options{Keys: []arrowsort.Key{{Path: "row"}}, Output: Output{PartitionBy: []string{"key"}},
			Run: Run{Progress: func(phase Phase, _, _ int64) { t.Errorf("%s: %s began", says, phase) }}}
		c.set(&opts)
		_, err := Sort(t.Context(), in, c.out, opts)
		require.ErrorContains(t, err, says)
		require.Equal(t, before, contents(t, folder))
	}
	opts := Options{Keys: []arrowsort.Key{{Path: "row"}}, Output: Output{PartitionBy: []string{"key"}}}
	_, err := Merge(t.Context(), in, out, opts)
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "PartitionBy goes with Sort")
	_, err = Argsort(t.Context(), in[0], out, opts)
	require.ErrorIs(t, err, ErrOption)
	s, err := NewSorter(t.Context(), sorttest.NumbersSchema, opts.Keys, SorterOptions{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.WriteFile(out, opts.Output)
	require.ErrorIs(t, err, ErrOption)
}
