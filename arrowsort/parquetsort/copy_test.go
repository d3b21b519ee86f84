package parquetsort

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestCopy: what is copied, what is not, and that Merge does the same.
func TestCopy(t *testing.T) {
	folder := t.TempDir()
	rows := 0
	file := func(name string, groups ...[2]int) string {
		path := filepath.Join(folder, name)
		generate(t, path, pairsSchema, len(groups), func(i int) arrow.Record {
			rows += 20_000
			return pairs(rows, 20_000, groups[i][0], groups[i][1])
		})
		return path
	}
	low, high := file("low.parquet", [2]int{0, 9}, [2]int{9, 19}), file("high.parquet", [2]int{19, 30})
	down, wide := file("down.parquet", [2]int{9, 0}), file("wide.parquet", [2]int{0, 9}, [2]int{5, 20})
	empty, key := file("empty.parquet"), []arrowsort.Key{{Path: "key"}}
	for name, c := range map[string]struct {
		files  []string
		opts   Options
		copied bool
	}{
		"one":          {[]string{low}, Options{Keys: key}, true},
		"two":          {[]string{low, high}, Options{Keys: key}, true},
		"an empty one": {[]string{low, empty, high}, Options{Keys: key}, true},
		"descending": {[]string{down},
			Options{Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending}}}, true},
		"the wrong way round": {[]string{high, low}, Options{Keys: key}, false},
		"not in order":        {[]string{down}, Options{Keys: key}, false},
		"groups not in order": {[]string{wide}, Options{Keys: key}, false},
		"not by the second key": {[]string{low},
			Options{Keys: []arrowsort.Key{{Path: "key"}, {Path: "row", Order: arrowsort.Descending}}}, false},
		"a key by its position": {[]string{low}, Options{Keys: []arrowsort.Key{arrowsort.KeyAt(0)}}, true},
		"a limit":               {[]string{low}, Options{Keys: key, Rows: Rows{Limit: 10}}, false},
		"other row groups":      {[]string{low}, Options{Keys: key, Output: Output{RowGroupRows: 5000}}, false},
		"another codec":         {[]string{low}, Options{Keys: key, Output: Output{Compression: "zstd"}}, false},
		"another format":        {[]string{low}, Options{Keys: key, Output: Output{Format: "arrow"}}, false},
		"several outputs":       {[]string{low}, Options{Keys: key, Output: Output{RowsPerFile: 7000}}, false},
		"nothing":               {[]string{empty}, Options{Keys: key}, true},
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			c.opts.Run.Allocator, c.opts.Memory.SpillDir = mem, t.TempDir()
			to := t.TempDir()
			out := filepath.Join(to, "out.parquet")
			result := sortFiles(t, c.files, out, c.opts)
			require.Equal(t, c.copied, result.Copied)
			if !c.copied {
				return
			}
			require.Equal(t, []string{"out.parquet"}, names(t, to))
			requireSorted(t, c.files, []string{out}, c.opts.Keys)
			merged := filepath.Join(to, "merged.parquet")
			again := mergeFiles(t, c.files, merged, c.opts)
			again.Outputs = result.Outputs
			require.Equal(t, result, again)
			a := readFile(t, out)
			b := readFile(t, merged)
			require.Equal(t, a, b)
		})
	}
}

// TestCopyThatFails: a broken page and a context that ends leave nothing.
func TestCopyThatFails(t *testing.T) {
	folder, to := t.TempDir(), t.TempDir()
	good, bad := filepath.Join(folder, "good.parquet"), filepath.Join(folder, "bad.parquet")
	generate(t, good, pairsSchema, 20, func(i int) arrow.Record { return pairs(i*20_000, 20_000, i*10, i*10+9) })
	b := readFile(t, good)
	r := rand.New(rand.NewPCG(3, 5))
	for i := len(b) / 4; i < len(b)/2; i++ {
		b[i] = byte(r.Uint32())
	}
	require.NoError(t, os.WriteFile(bad, b, 0o600))
	opts := Options{Keys: []arrowsort.Key{{Path: "row"}}, Memory: Memory{SpillDir: t.TempDir()}}
	out := filepath.Join(to, "out.parquet")
	for _, do := range []func(context.Context, []string, string, Options) (*Result, error){Sort, Merge} {
		_, err := do(t.Context(), []string{bad}, out, opts)
		require.ErrorIs(t, err, tablefile.ErrCorrupt)
		require.ErrorContains(t, err, bad)
		require.Empty(t, names(t, to))
	}
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	opts.Run.Progress = func(phase Phase, done, total int64) {
		require.Equal(t, PhaseCopy, phase)
		cancel(stop)
	}
	_, err := Sort(ctx, []string{good}, out, opts)
	require.ErrorIs(t, err, stop)
	require.Empty(t, names(t, to))
}
