package parquetsort

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestDepthOfASort: what is reported of the first key is what Layout reports of the inputs and of the outputs, in
// memory, spilled and merged, in one file and in several, and where an output replaces the input.
func TestDepthOfASort(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"a.parquet", "b.parquet"} {
		generate(t, filepath.Join(folder, name), pairsSchema, 3, func(batch int) arrow.Record {
			return pairs(i*300+batch*100, i*300+batch*100+100, 0, 9)
		})
	}
	a, b := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet")
	out := filepath.Join(folder, "out.parquet")
	depthOf := func(files ...string) LayoutDepth {
		layout := layoutOf(t, files, LayoutOptions{})
		for _, c := range layout.Columns {
			if c.Name == "key" {
				return *c.Depth
			}
		}
		t.Fatal("no column")
		return LayoutDepth{}
	}
	for name, c := range map[string]struct {
		in     []string
		out    string
		output Output
	}{
		"one file":      {[]string{a}, out, Output{}},
		"two files":     {[]string{a, b}, out, Output{RowGroupRows: 100}},
		"several files": {[]string{a, b}, out, Output{RowsPerFile: 150}},
		"the input":     {[]string{a}, a, Output{RowGroupRows: 50}},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		c.output.Depth = true
		before := depthOf(c.in...)
		result, err := Sort(t.Context(), c.in, c.out, Options{Output: c.output, Run: Run{Allocator: mem},
			Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}, {Path: "row"}}})
		require.NoError(t, err, name)
		want := &KeyDepth{Column: "key", Before: before, After: depthOf(result.Outputs...)}
		require.Equal(t, want, result.Depth, name)
		mem.AssertSize(t, 0)
	}
}

// TestNoDepth: nothing is reported of other formats, of some of the rows, of partitions, of copied row groups, of keys
// that are not written, and where it is not asked for.
func TestNoDepth(t *testing.T) {
	folder := t.TempDir()
	in, text := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "in.csv")
	generate(t, in, pairsSchema, 3, func(int) arrow.Record { return pairs(0, 40_000, 0, 9) })
	require.NoError(t, os.WriteFile(text, []byte("key,row\n2,1\n1,2\n"), 0o600))
	sorted := filepath.Join(folder, "sorted.parquet")
	keys := []arrowsort.Key{{Path: "key"}}
	sortFiles(t, []string{in}, sorted, Options{Keys: keys})
	for name, c := range map[string]struct {
		in, out string
		opts    Options
	}{
		"not asked for":   {in, "out.parquet", Options{}},
		"from CSV":        {text, "out.parquet", Options{Output: Output{Depth: true}}},
		"to Arrow":        {in, "out.arrow", Options{Output: Output{Depth: true}}},
		"first rows":      {in, "out.parquet", Options{Output: Output{Depth: true}, Rows: Rows{Limit: 10}}},
		"unique rows":     {in, "out.parquet", Options{Output: Output{Depth: true}, Rows: Rows{Unique: true}}},
		"partitions":      {in, "out", Options{Output: Output{Depth: true, PartitionBy: []string{"key"}}}},
		"along a curve":   {in, "out.parquet", Options{Output: Output{Depth: true}, Curve: arrowsort.Hilbert}},
		"copied":          {sorted, "out.parquet", Options{Output: Output{Depth: true}}},
		"key not written": {in, "out.parquet", Options{Output: Output{Depth: true}, Columns: []string{"row"}}},
	} {
		if c.opts.Keys = keys; c.opts.Curve != 0 {
			c.opts.Keys = []arrowsort.Key{{Path: "key"}, {Path: "row"}}
		}
		result, err := Sort(t.Context(), []string{c.in}, filepath.Join(t.TempDir(), c.out), c.opts)
		require.NoError(t, err, name)
		require.Nil(t, result.Depth, name)
		require.Equal(t, name == "copied", result.Copied)
	}
}

// TestDepthOfInputsThatGo: a file that is removed or replaced while its rows are written does not stop the sort, and
// the depth is that of the file that was read.
func TestDepthOfInputsThatGo(t *testing.T) {
	for name, replace := range map[string]func(in string) error{
		"removed":  os.Remove,
		"replaced": func(in string) error { return os.WriteFile(in, []byte("other"), 0o600) },
	} {
		folder := t.TempDir()
		in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
		generate(t, in, pairsSchema, 3, func(batch int) arrow.Record { return pairs(batch*100, batch*100+100, 0, 9) })
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Output: Output{Depth: true}}
		want := sortFiles(t, []string{in}, out, opts)
		require.NotNil(t, want.Depth)
		once := false
		opts.Run = Run{
			Warn: func(text string) { t.Errorf("%s: warned: %s", name, text) },
			Progress: func(phase Phase, _, _ int64) {

				if phase == PhaseSave && !once {
					once = true
					require.NoError(t, replace(in))
				}
			},
		}
		got, err := Sort(t.Context(), []string{in}, out, opts)
		require.NoError(t, err, name)
		require.True(t, once)
		require.Equal(t, want.Depth, got.Depth, name)
	}
}
