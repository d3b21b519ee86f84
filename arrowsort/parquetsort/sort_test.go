package parquetsort

import (
	"fmt"
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
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var numberKeys = map[string][]arrowsort.Key{
	"key":                    {{Path: "key"}},
	"key descending":         {{Path: "key", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}},
	"float":                  {{Path: "x", Nulls: arrowsort.NullsAtStart}},
	"float descending, key":  {{Path: "x", Order: arrowsort.Descending}, {Path: "key"}},
	"already sorted":         {{Path: "row"}},
	"reversed, by its index": {{At: arrowsort.Column(2), Order: arrowsort.Descending}},
}

func TestSortLargerThanMemory(t *testing.T) {
	in := manyNumbers(t, t.TempDir(), "in.parquet")
	for name, keys := range numberKeys {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			spill, out := t.TempDir(), filepath.Join(t.TempDir(), "out.parquet")
			result := sortFiles(t, []string{in}, out,
				Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: spill}, Run: Run{Allocator: mem}})
			if name == "already sorted" {
				require.Zero(t, result.Runs)
				require.Zero(t, result.BytesSpilled)
			} else {
				require.Greater(t, result.Runs, 2)
				require.Greater(t, result.BytesSpilled, int64(800_000*16))
			}
			require.EqualValues(t, 800_000, result.Rows)
			requireEmpty(t, spill)
			requireSorted(t, []string{in}, []string{out}, keys)
		})
	}
}

func TestSortOfEveryShape(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	r := rand.New(rand.NewPCG(5, 6))
	generateMixed(t, in, r, 10, 9000)
	for name, c := range map[string]struct {
		keys        []arrowsort.Key
		compression string
	}{
		"text": {[]arrowsort.Key{{Path: "text"}}, ""},
		"dictionary": {[]arrowsort.Key{{Path: "word", Order: arrowsort.Descending},
			{Path: "text", Nulls: arrowsort.NullsAtStart}}, "lz4"},
		"struct": {[]arrowsort.Key{{Path: "at"}}, "zstd"},
		"field":  {[]arrowsort.Key{{Path: "at.n", Order: arrowsort.Descending}, {Path: "word"}}, "none"},
	} {
		if !testrun.Share(2, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			spill, out := t.TempDir(), filepath.Join(t.TempDir(), "out.parquet")
			mem := arrowtest.Checked(t)
			opts := Options{Keys: c.keys, Memory: Memory{Budget: MinMemory, SpillDir: spill,
				SpillCompression: Compression(c.compression)}, Run: Run{Allocator: mem},
				Output: Output{RowGroupRows: 20_000}}
			result := sortFiles(t, []string{in}, out, opts)
			require.Positive(t, result.Runs)
			requireEmpty(t, spill)
			requireSorted(t, []string{in}, []string{out}, c.keys)
		})
	}
}

func TestSortInMemoryNeverTouchesTheDisk(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "out.arrow")
	r := rand.New(rand.NewPCG(3, 4))
	generateMixed(t, in, r, 2, 500)
	keys := []arrowsort.Key{{Path: "word"}}
	result := sortFiles(t, []string{in}, out,
		Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: filepath.Join(folder, "missing")}})
	require.Zero(t, result.Runs)
	require.Zero(t, result.BytesSpilled)
	requireSorted(t, []string{in}, []string{out}, keys)
}

func TestSortManyFilesIntoMany(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(7, 8))
	var files []string
	for i := range 5 {
		files = append(files, filepath.Join(folder, fmt.Sprintf("in-%d.parquet", i)))
		generateNumbers(t, files[i], r, i*1000, 1, 1000)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "_SUCCESS"), nil, 0o600))
	keys := []arrowsort.Key{{Path: "key"}}
	for name, inputs := range map[string][]string{"files": files, "pattern": {filepath.Join(folder, "in-?.parquet")},
		"folder": {folder}} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			result := sortFiles(t, inputs, filepath.Join(out, "o.parquet"),
				Options{Keys: keys, Output: Output{RowsPerFile: 1500}})
			require.Equal(t, files, result.Inputs)
			require.Equal(t, []string{"o-00001.parquet", "o-00002.parquet", "o-00003.parquet", "o-00004.parquet"},
				names(t, out))
			requireSorted(t, files, result.Outputs, keys)
			for i, rows := range []int64{1500, 1500, 1500, 500} {
				require.Equal(t, rows, digestOf(t, result.Outputs[i]).Rows)
			}
		})
	}
}

// A limit keeps the best rows in memory where it leaves few, and cuts the runs where it leaves many.
func TestLimit(t *testing.T) {
	in := manyNumbers(t, t.TempDir(), "in.parquet")
	keys := numberKeys["float descending, key"]
	whole := filepath.Join(t.TempDir(), "whole.parquet")
	sortFiles(t, []string{in}, whole, Options{Keys: keys, Memory: Memory{Budget: 1 << 30}})
	var want []int64
	eachBatch(t, []string{whole}, func(rec arrow.Record) {
		want = append(want,
			rec.Column(2).(*array.Int64).Int64Values()...)
	})
	for limit, spills := range map[int64]bool{1: false, 1000: false, 40_000: false, 300_000: true, 799_999: true,
		900_000: true} {
		for _, merge := range []bool{false, true} {
			spill, out := t.TempDir(), filepath.Join(t.TempDir(), "out.parquet")
			opts := Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: spill}, Rows: Rows{Limit: limit}}
			do, from := Sort, in
			if merge {
				do, from = Merge, whole
			}
			result, err := do(t.Context(), []string{from}, out, opts)
			require.NoError(t, err)
			require.Equal(t, min(limit, 800_000), result.Rows)
			require.Equal(t, spills && !merge, result.Runs > 0, "limit %d", limit)
			var got []int64
			eachBatch(t, []string{out}, func(rec arrow.Record) {
				got = append(got,
					rec.Column(2).(*array.Int64).Int64Values()...)
			})
			require.Equal(t, want[:result.Rows], got)
			requireEmpty(t, spill)
		}
	}
}

func TestFilesOfSomeBytes(t *testing.T) {
	folder := t.TempDir()
	in, out := manyNumbers(t, t.TempDir(), "in.parquet"), filepath.Join(folder, "out.parquet")
	keys := numberKeys["key"]
	opts := Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()},
		Output: Output{BytesPerFile: 1 << 19, RowGroupRows: 5_000}}
	first := sortFiles(t, []string{in}, out, opts)
	require.Greater(t, len(first.Outputs), 5)
	for i, path := range first.Outputs {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(1<<19+1<<16))
		if i+1 < len(first.Outputs) {
			require.Greater(t, info.Size(), int64(1<<18))
		}
	}
	requireSorted(t, []string{in}, first.Outputs, keys)

	other := filepath.Join(folder, "out-extra.parquet")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	opts.Output.BytesPerFile, opts.Output.RowsPerFile = 0, 300_000
	second := sortFiles(t, []string{in}, out, opts)
	require.Equal(t, []string{"out-00001.parquet", "out-00002.parquet", "out-00003.parquet", "out-extra.parquet"},
		names(t, folder))
	requireSorted(t, []string{in}, second.Outputs, keys)
}

func TestSortOfNoRows(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	generate(t, in, sorttest.NumbersSchema, 0, nil)
	result := sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}}})
	require.Zero(t, result.Rows)
	require.Zero(t, digestOf(t, out).Rows)
}

func TestSortOntoItsInput(t *testing.T) {
	in := manyNumbers(t, t.TempDir(), "in.parquet")
	before := digestOf(t, in)
	sortFiles(t, []string{in}, in,
		Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()}})
	require.Equal(t, before, digestOf(t, in))
	requireSorted(t, []string{in}, []string{in}, numberKeys["key"])
}

func names(t testing.TB, folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
