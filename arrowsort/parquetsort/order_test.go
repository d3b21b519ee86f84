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

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// pairsSchema has a key and the number of the row.
var pairsSchema = arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)

// pairs are rows with keys low to high, each several times; rows are numbered from first on.
func pairs(first, n, low, high int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, pairsSchema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(low + i*(high-low)/max(n-1, 1)))
		b.Field(1).(*array.Int64Builder).Append(int64(first + i))
	}
	return b.NewRecord()
}

// Files that are in order, each for itself: whatever their ranges are, nothing is spilled, and the result is a stable
// sort.
func TestSortOfFilesInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		ranges [][2]int
		copied bool
	}{
		"one behind the other":             {[][2]int{{0, 9}, {10, 19}, {20, 29}}, true},
		"in another concatenable":          {[][2]int{{20, 29}, {0, 9}, {10, 19}}, true},
		"touching":                         {[][2]int{{0, 10}, {10, 20}, {20, 20}, {20, 30}}, true},
		"touching in another concatenable": {[][2]int{{10, 20}, {0, 10}}, false},
		"overlapping":                      {[][2]int{{0, 50}, {20, 70}, {21, 22}, {100, 200}, {150, 160}}, false},
		"all ties":                         {[][2]int{{5, 5}, {5, 5}, {5, 5}}, true},
		"one inside another, then another": {[][2]int{{40, 60}, {0, 100}, {101, 300}}, false},
		"one":                              {[][2]int{{3, 1000}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			folder, spill := t.TempDir(), filepath.Join(t.TempDir(), "missing")
			var files []string
			for i, r := range c.ranges {
				files = append(files, filepath.Join(folder, fmt.Sprintf("%d.parquet", i)))
				generate(t, files[i], pairsSchema, 1,
					func(int) arrow.Record { return pairs(i*20_000, 20_000, r[0], r[1]) })
			}
			empty := filepath.Join(folder, "empty.parquet")
			generate(t, empty, pairsSchema, 0, nil)
			mem := arrowtest.Checked(t)
			keys := []arrowsort.Key{{Path: "key"}}
			opts := Options{Keys: keys, Memory: Memory{SpillDir: spill, Budget: MinMemory}, Run: Run{Allocator: mem}}
			out := filepath.Join(folder, "out.parquet")
			for _, do := range []func() (*Result, error){
				func() (*Result, error) { return Sort(t.Context(), append(files, empty), out, opts) },
				func() (*Result, error) { return Merge(t.Context(), append([]string{empty}, files...), out, opts) },
				func() (*Result, error) {
					other := opts
					other.Output.RowGroupRows = 7000 // is not copied
					return Sort(t.Context(), files, out, other)
				},
			} {
				result, err := do()
				require.NoError(t, err)
				require.EqualValues(t, len(files)*20_000, result.Rows)
				require.Zero(t, result.Runs)
				require.Positive(t, result.BytesOut)
				requireSorted(t, files, []string{out}, keys)
				s, err := tablefile.Scan(out, 0, tablefile.ReadOptions{})
				require.NoError(t, err)
				requireOrder(t, []tablefile.SortingColumn{{Path: "key"}}, s.Template)
				s.Close()
			}
			result := sortFiles(t, files, out, opts)
			require.Equal(t, c.copied, sameGroups(t, out, files))
			require.Equal(t, files, result.Inputs)
		})
	}
}

// sameGroups reports whether a file has as many row groups as some others.
func sameGroups(t *testing.T, path string, files []string) bool {
	groups := func(path string) int {
		s := scanFile(t, path, 0, tablefile.ReadOptions{})
		return len(s.Template.RowGroups())
	}
	n := 0
	for _, f := range files {
		n += groups(f)
	}
	return n == groups(path)
}

func TestMergeOfMoreFilesThanFit(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	r := rand.New(rand.NewPCG(8, 8))
	var files []string
	for i := range 90 {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%02d.parquet", i)))
		low := r.IntN(50)
		generate(t, files[i], pairsSchema, 1+i%2,
			func(batch int) arrow.Record { return pairs(i*4000+batch*2000, 2000, low+batch*60, low+50+batch*60) })
	}
	mem := arrowtest.Checked(t)
	keys, out := []arrowsort.Key{{Path: "key"}}, filepath.Join(folder, "out.parquet")
	result := mergeFiles(t, files, out,
		Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: spill}, Run: Run{Allocator: mem}})
	require.Greater(t, result.Runs, 1)
	require.Positive(t, result.BytesSpilled)
	requireEmpty(t, spill)
	requireSorted(t, files, []string{out}, keys)
	require.NoError(t, os.Remove(out))
}

func TestDictionariesInOrder(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(4, 2))
	in, once, twice := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "once.arrows"),
		filepath.Join(folder, "twice.arrows")
	generateMixed(t, in, r, 3, 900)
	keys := []arrowsort.Key{{Path: "word", Order: arrowsort.Descending}, {Path: "at"}}
	sortFiles(t, []string{in}, once, Options{Keys: keys, Output: Output{RowGroupRows: 500}})
	sortFiles(t, []string{once, once}, twice, Options{Keys: keys, Output: Output{RowGroupRows: 500}})
	want := digestOf(t, once)
	require.Equal(t, sorttest.Digest{Rows: 2 * want.Rows, Sum: 2 * want.Sum}, digestOf(t, twice))
	checked := checkFiles(t, []string{twice}, CheckOptions{Keys: keys})
	require.Nil(t, checked.Violation)
}
