package parquetsort

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

func byKey(folder string, rows int64) ([]string, string, Options) {
	return []string{filepath.Join(folder, "in.parquet")}, filepath.Join(folder, "out.parquet"),
		Options{Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}, RowsPerFile: rows}
}

// TestManyOutputsAreClosedAtOnce: at the last of 200 outputs only a few files are open.
func TestManyOutputsAreClosedAtOnce(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 100)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	opts.Progress = func(phase string, done, total int64) {
		if open, err := os.ReadDir("/proc/self/fd"); err == nil && phase == PhaseWrite && done == total {
			require.Less(t, len(open), 60)
		}
	}
	result, err := Sort(t.Context(), in, out, opts)
	require.NoError(t, err)
	require.Len(t, result.Outputs, 200)
	bytes := int64(0)
	for _, path := range result.Outputs {
		info, err := os.Stat(path)
		require.NoError(t, err)
		bytes += info.Size()
	}
	require.Equal(t, bytes, result.BytesOut)
	require.Len(t, names(t, folder), 201)
}

// TestOutputThatCannotGetItsName: the error names the outputs that are in place and those that are not.
func TestOutputThatCannotGetItsName(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 5000)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	third := numbered(out, 3)
	opts.Progress = func(phase string, done, total int64) {
		if phase == PhaseWrite && done == total {
			require.NoError(t, os.MkdirAll(filepath.Join(third, "x"), 0o700))
		}
	}
	_, err := Sort(t.Context(), in, out, opts)
	require.EqualError(t, err, third+": file exists; of 4 outputs these are in place: "+numbered(out, 1)+
		" to "+numbered(out, 2)+"; these are not: "+third+" to "+numbered(out, 4))
	require.Equal(t, []string{"in.parquet", "out-00001.parquet", "out-00002.parquet", "out-00003.parquet"},
		names(t, folder))
}

// TestOutputKeepsPermissionsAndLinks of the file that it replaces.
func TestOutputKeepsPermissionsAndLinks(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	folder, other := t.TempDir(), t.TempDir()
	in, out, opts := byKey(folder, 0)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	target := filepath.Join(other, "real.parquet")
	require.NoError(t, os.WriteFile(target, nil, 0o640))
	require.NoError(t, os.Chmod(target, 0o640))
	require.NoError(t, os.Symlink(target, out))
	for _, files := range [][]string{in, {in[0], in[0]}} {
		opts.Allocator = mem
		_, err := Sort(t.Context(), files, out, opts)
		require.NoError(t, err)
		info, err := os.Lstat(target)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
		require.Positive(t, info.Size())
		link, err := os.Readlink(out)
		require.NoError(t, err)
		require.Equal(t, target, link)
	}
	require.Equal(t, []string{"real.parquet"}, names(t, other))
}

// TestFilesThatAreNotOfAnEarlierSort are neither replaced nor removed, though they have the names of outputs.
func TestFilesThatAreNotOfAnEarlierSort(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 15_000)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	for range 2 { // the second one replaces the outputs of the first
		result, err := Sort(t.Context(), in, out, opts)
		require.NoError(t, err)
		require.Len(t, result.Outputs, 2)
	}
	for i, format := range []string{".parquet", ".parquet", ".arrow", ".csv"} {
		out := filepath.Join(folder, strconv.Itoa(i)+format)
		precious := numbered(out, 3) // also after a gap
		require.NoError(t, os.WriteFile(precious, []byte("precious text"), 0o600))
		_, err := Sort(t.Context(), in, out, opts)
		require.EqualError(t, err, precious+" exists and is not known to be an output of an earlier sort, which only "+
			"Parquet files say: move it, or choose another output")
		kept, err := os.ReadFile(precious)
		require.NoError(t, err)
		require.Equal(t, "precious text", string(kept))
	}
}

// TestSeveralOutputsAreNoInputs: files with the names of outputs are not read and replaced by one sort.
func TestSeveralOutputsAreNoInputs(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 15_000)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	first, err := Sort(t.Context(), in, out, opts)
	require.NoError(t, err)
	for _, files := range [][]string{first.Outputs, first.Outputs[:1], {filepath.Join(folder, "out-*.parquet")}} {
		_, err := Sort(t.Context(), files, out, opts)
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, "is an output that is among the inputs")
	}
}

// TestPatternsOfHiddenFiles: a pattern matches hidden files only if it begins with a dot.
func TestPatternsOfHiddenFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.parquet", ".b.parquet"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	for pattern, want := range map[string]string{"*.parquet": "a.parquet", ".*.parquet": ".b.parquet"} {
		files, err := Expand([]string{filepath.Join(folder, pattern)})
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(folder, want)}, files)
	}
}

// TestTypesThatAnOutputCannotHold: they are refused before rows are sorted, in memory, in pieces and from a pipe.
func TestTypesThatAnOutputCannotHold(t *testing.T) {
	folder := t.TempDir()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "months", Type: arrow.FixedWidthTypes.MonthInterval, Nullable: true},
	}, nil)
	in, out := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "out.parquet")
	generate(t, in, schema, 1, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		b.Field(0).AppendEmptyValues(1000)
		b.Field(1).AppendNulls(1000)
		return b.NewRecord()
	})
	stream, err := os.ReadFile(in)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		input string
		rows  int64 // of an output
		file  string
	}{"a table": {in, 0, out}, "several outputs": {in, 100, numbered(out, 1)}, "a pipe": {tablefile.Pipe, 0, out}} {
		_, err := Sort(t.Context(), []string{c.input}, out, Options{
			Keys: []arrowsort.Key{{Path: "key"}}, RowsPerFile: c.rows, Stdin: bytes.NewReader(stream),
			Progress: func(phase string, _, _ int64) { t.Errorf("%s: %s began", name, phase) },
		})
		require.ErrorIs(t, err, tablefile.ErrUnsupported, name)
		require.ErrorContains(t, err, c.file+`: column "months"`, name)
		require.Equal(t, []string{"in.arrows"}, names(t, folder))
	}
}
