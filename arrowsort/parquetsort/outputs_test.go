package parquetsort

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

func byKey(folder string, rows int64) ([]string, string, Options) {
	return []string{filepath.Join(folder, "in.parquet")}, filepath.Join(folder, "out.parquet"),
		Options{Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}, Output: Output{RowsPerFile: rows}}
}

// TestManyOutputsAreClosedAtOnce: at the last of 200 outputs only a few files are open.
func TestManyOutputsAreClosedAtOnce(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 100)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	opts.Run.Progress = func(phase Phase, done, total int64) {
		if open, err := os.ReadDir("/proc/self/fd"); err == nil && phase == PhaseWrite && done == total {
			require.Less(t, len(open), 60)
		}
	}
	result := sortFiles(t, in, out, opts)
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
	third := output.Numbered(out, 3)
	opts.Run.Progress = func(phase Phase, done, total int64) {
		if phase == PhaseWrite && done == total {
			require.NoError(t, os.MkdirAll(filepath.Join(third, "x"), 0o700))
		}
	}
	_, err := Sort(t.Context(), in, out, opts)
	require.EqualError(t, err, third+": file exists; of 4 outputs these are in place: "+output.Numbered(out, 1)+
		" to "+output.Numbered(out, 2)+"; these are not: "+third+" to "+output.Numbered(out, 4))
	require.Equal(t, []string{"in.parquet", "out-00001.parquet", "out-00002.parquet", "out-00003.parquet"},
		names(t, folder))
}

// TestOutputKeepsPermissionsAndLinks of the file that it replaces.
func TestOutputKeepsPermissionsAndLinks(t *testing.T) {
	mem := arrowtest.Checked(t)
	folder, other := t.TempDir(), t.TempDir()
	in, out, opts := byKey(folder, 0)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	target := filepath.Join(other, "real.parquet")
	require.NoError(t, os.WriteFile(target, nil, 0o640))
	require.NoError(t, os.Chmod(target, 0o640))
	require.NoError(t, os.Symlink(target, out))
	for _, files := range [][]string{in, {in[0], in[0]}} {
		opts.Run.Allocator = mem
		sortFiles(t, files, out, opts)
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
		result := sortFiles(t, in, out, opts)
		require.Len(t, result.Outputs, 2)
	}
	for i, format := range []string{".parquet", ".parquet", ".arrow", ".csv"} {
		out := filepath.Join(folder, strconv.Itoa(i)+format)
		precious := output.Numbered(out, 3) // also after a gap
		require.NoError(t, os.WriteFile(precious, []byte("precious text"), 0o600))
		_, err := Sort(t.Context(), in, out, opts)
		require.EqualError(t, err, precious+" exists and is not known to be an output of an earlier sort, which only "+
			"Parquet files say: move it, or choose another output")
		kept := readFile(t, precious)
		require.Equal(t, "precious text", string(kept))
	}
}

// TestOlderOutputs: after a sort that needs fewer files, those of an earlier one are gone, whatever gaps there are.
// Files with other names stay, and so does the file that a link among them leads to.
func TestOlderOutputs(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	in, out, opts := byKey(folder, 5)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 60, 0, 9) })
	sortFiles(t, in, out, opts)
	own := readFile(t, output.Numbered(out, 1))
	stay := []string{"out-00000.parquet", "out-1.parquet", "out-000007.parquet", "out-00007.parquet.bak",
		"out--0007.parquet", "out-+0007.parquet", "out-00007", "xout-00007.parquet", "out-00007a.parquet",
		"out-99999999999999999999.parquet"}
	for _, name := range stay {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), own, 0o600))
	}
	target := filepath.Join(other, "target.parquet")
	require.NoError(t, os.WriteFile(target, own, 0o600))
	require.NoError(t, os.Symlink(target, output.Numbered(out, 123456)))
	require.NoError(t, os.Remove(output.Numbered(out, 7)))
	opts.Output.RowsPerFile = 30
	sortFiles(t, in, out, opts)
	want := append([]string{"in.parquet", "out-00001.parquet", "out-00002.parquet"}, stay...)
	require.ElementsMatch(t, want, names(t, folder))
	require.FileExists(t, target)

	// A file that is no output of a sort and comes while there is one stays, and is an error.
	precious := output.Numbered(out, 9)
	opts.Run.Progress = func(Phase, int64, int64) {
		require.NoError(t, os.WriteFile(precious, []byte("precious text"), 0o600))
	}
	_, err := Sort(t.Context(), in, out, opts)
	require.ErrorContains(t, err,
		"the outputs are complete, but a file of an earlier sort is still among them: "+precious)
	require.FileExists(t, precious)
}

// TestOddNames: no name of a file makes a sort panic or write another file.
func TestOddNames(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, pairsSchema, 1, func(int) arrow.Record { return pairs(0, 6, 0, 9) })
	rows := readFile(t, in)
	for _, name := range []string{"\xff\xfe", "a\nb", "-o", "--", "(", "[", "*", "a?b", `\`, "é", "\x1b[2J", " ", "%s",
		"a\tb"} {
		dir := filepath.Join(folder, "dir"+name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		input, spill := filepath.Join(dir, name+".parquet"), filepath.Join(dir, "spill"+name)
		require.NoError(t, os.WriteFile(input, rows, 0o600))
		require.NoError(t, os.Mkdir(spill, 0o700))
		for _, perFile := range []int64{0, 3, 2} {
			out := filepath.Join(dir, "out"+name+".parquet")
			result, err := Sort(t.Context(), []string{input, input}, out, Options{Keys: numberKeys["key"],
				Output: Output{RowsPerFile: perFile}, Memory: Memory{SpillDir: spill}})
			require.NoError(t, err, "%q", name)
			require.Equal(t, int64(12), digestOf(t, result.Outputs...).Rows)
			requireEmpty(t, spill)
		}
		require.Len(t, names(t, dir), 1+1+1+6, "the input, the spill folder and outputs")
	}
	long := filepath.Join(folder, strings.Repeat("x", 300)+".parquet")
	for _, perFile := range []int64{0, 3} {
		_, err := Sort(t.Context(), []string{in}, long, Options{Keys: numberKeys["key"],
			Output: Output{RowsPerFile: perFile}})
		require.ErrorIs(t, err, syscall.ENAMETOOLONG)
	}
}

// TestSeveralOutputsAreNoInputs: files with the names of outputs are not read and replaced by one sort.
func TestSeveralOutputsAreNoInputs(t *testing.T) {
	folder := t.TempDir()
	in, out, opts := byKey(folder, 15_000)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, 20_000, 0, 9) })
	first := sortFiles(t, in, out, opts)
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
	stream := readFile(t, in)
	for name, c := range map[string]struct {
		input string
		rows  int64 // of an output
		file  string
	}{"a table": {in, 0, out}, "several outputs": {in, 100, output.Numbered(out, 1)},
		"a pipe": {tablefile.Pipe, 0, out}} {
		_, err := Sort(t.Context(), []string{c.input}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
			Output: Output{RowsPerFile: c.rows}, Input: Input{Stdin: bytes.NewReader(stream)},
			Run: Run{Progress: func(phase Phase, _, _ int64) { t.Errorf("%s: %s began", name, phase) }}})
		require.ErrorIs(t, err, tablefile.ErrUnsupported, name)
		require.ErrorContains(t, err, c.file+`: column "months"`, name)
		require.Equal(t, []string{"in.arrows"}, names(t, folder))
	}
}

func TestTableBytesOfSlicesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, rec := range map[string]arrow.Record{
		"numbers": sorttest.Numbers(memory.DefaultAllocator, r, 0, 4096),
		"mixed":   sorttest.Mixed(memory.DefaultAllocator, r, 0, 4096),
	} {
		table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
		whole, parts := arraydata.TableBytes(table), int64(0)
		for first := int64(0); first < 4096; first += 2048 {
			part := arraydata.SliceTable(table, first, first+2048)
			parts += arraydata.TableBytes(part)
			part.Release()
		}
		require.InEpsilon(t, whole, parts, 0.05, name)
		require.Greater(t, whole, int64(4096*16), name)
	}
}

// TestDictionariesCountAsTheirValues in every container: rows are sorted and written with the values.
func TestDictionariesCountAsTheirValues(t *testing.T) {
	opts := take.Options{Allocator: memory.DefaultAllocator}
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for _, values := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.BinaryTypes.String)} {
		for _, c := range arrowtest.Containers() {
			words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: values}
			typ := c.Of(arrow.Field{Name: "v", Type: words, Nullable: true})
			a := arrowtest.RandomSlice(r, typ, 1000, 7, 0, memory.DefaultAllocator)
			column := arrow.NewChunked(typ, []arrow.Array{a})
			decoded, err := dictionary.WithType(t.Context(), column, dictionary.DecodedType(typ), opts)
			require.NoError(t, err)
			want := decoded.Chunk(0).Data()
			got := arraydata.ArrayBytes(a.Data(), a.Data().Offset(), a.Len())
			require.InEpsilon(t, arraydata.ArrayBytes(want, want.Offset(), want.Len()), got, 0.01, typ)
		}
	}
}
