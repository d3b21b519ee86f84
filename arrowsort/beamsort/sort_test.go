package beamsort

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func scopeOf() beam.Scope {
	_, scope := beam.NewPipelineWithRoot()
	return scope
}

// TestMistakesAreFoundWhenThePipelineIsBuilt, before a runner is asked for anything.
func TestMistakesAreFoundWhenThePipelineIsBuilt(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	path := writeFile(t, in, "x.parquet", numbers(1, 10, 3, 0), 0)
	csv := filepath.Join(in, "x.csv")
	require.NoError(t, os.WriteFile(csv, []byte("key,row\n1,2\n"), 0o600))
	key := []arrowsort.Key{{Path: "key"}}
	for _, c := range []struct {
		inputs []string
		output string
		keys   []arrowsort.Key
		opts   Options
		want   error
		text   string
	}{
		{[]string{path}, out, nil, Options{}, arrowsort.ErrNoKeys, ""},
		{[]string{path}, out, []arrowsort.Key{{Path: "nope"}}, Options{}, arrowsort.ErrColumn, "x.parquet"},
		{[]string{path}, "", key, Options{}, ErrOption, "no output folder"},
		{[]string{path}, out, key, Options{Shards: -1}, ErrOption, "Shards is -1"},
		{[]string{path}, out, key, Options{Memory: 5}, ErrOption, "Memory is 5"},
		{[]string{path}, out, key, Options{Threads: -2}, ErrOption, "Threads is -2"},
		{[]string{path}, out, key, Options{SpillCompression: "rar"}, ErrOption, "rar"},
		{[]string{path}, out, key, Options{ShuffleDir: in, RunnerShuffle: true}, ErrOption, "exclude each other"},
		{[]string{path}, out, key, Options{ShuffleDir: "gs://in"}, ErrOption, "ShuffleDir is gs://in"},
		{[]string{path}, out, key, Options{ShuffleDir: path}, syscall.ENOTDIR, path},
		{[]string{path}, out, key, Options{Compression: "rar"}, parquetsort.ErrOption, "rar"},
		{[]string{csv}, out, key, Options{}, parquetsort.ErrOption, "CSV is not divided"},
		{[]string{"-"}, out, key, Options{InputFormat: "arrows"}, ErrOption, "standard input"},
		{nil, out, key, Options{}, parquetsort.ErrOption, "no inputs"},
		{[]string{"nope://x.parquet"}, out, key, Options{}, nil, `scheme "nope" not registered`},
		{[]string{"nope://*.parquet"}, out, key, Options{}, ErrOption, "import Beam's file system for it"},
		{[]string{"absent"}, "nope://out", key, Options{}, ErrOption, "import Beam's file system for it"},
		{[]string{"absent"}, "mem://out", key, Options{}, ErrOption, "such addresses are inputs only"},
		{[]string{filepath.Join(in, "absent.parquet")}, out, key, Options{}, os.ErrNotExist, "absent.parquet"},
	} {
		_, err := Sort(t.Context(), scopeOf(), c.inputs, c.output, c.keys, c.opts)
		require.Error(t, err, "%+v", c)
		if c.want != nil {
			require.ErrorIs(t, err, c.want)
		}
		require.ErrorContains(t, err, c.text)
	}
}

func TestShardsOfAnotherNumberAreKept(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	path := writeFile(t, in, "x.parquet", numbers(1, 10, 3, 0), 0)
	key := []arrowsort.Key{{Path: "key"}}
	old := writeFile(t, out, shardName(1, 3), numbers(1, 10, 3, 0), 0)
	_, err := Sort(t.Context(), scopeOf(), []string{path}, out, key, Options{Shards: 3})
	require.NoError(t, err)
	_, err = Sort(t.Context(), scopeOf(), []string{path}, out, key, Options{Shards: 4})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, old)
	_, err = Sort(t.Context(), scopeOf(), []string{old}, out, key, Options{Shards: 3})
	require.ErrorContains(t, err, "is an input and would be replaced")
}

// TestNumberOfShards is that of the bytes of the rows, unless it is given.
func TestNumberOfShards(t *testing.T) {
	for bytes, want := range map[int64]int{0: 1, 1: 1, shardBytes: 1, shardBytes + 1: 2, 10 * shardBytes: 10} {
		require.Equal(t, want, (&Options{}).shards(bytes), bytes)
		require.Equal(t, 5, (&Options{Shards: 5}).shards(bytes))
	}
}

func TestQuantiles(t *testing.T) {
	cuts := func(parts int, weights ...float64) (numbers []int) {
		var sorted []weighted
		for i, w := range weights {
			sorted = append(sorted, weighted{[]byte{byte(i)}, w})
		}
		for _, row := range quantiles(sorted, parts) {
			numbers = append(numbers, int(row[0]))
		}
		return numbers
	}
	ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	require.Equal(t, []int{2, 4, 6}, cuts(4, ones(8)...))
	require.Equal(t, []int{1, 2}, cuts(8, ones(3)...))
	require.Empty(t, cuts(8, 1))
	require.Empty(t, cuts(8))
	require.Empty(t, cuts(1, ones(100)...))
	require.Equal(t, []int{3}, cuts(2, 1, 1, 8, 1, 1), "behind the one that weighs most")
}

// TestNumbersOfOptions tries each number of Options at its extremes: all rows are in the shards, or the error names the
// option before the pipeline runs.
func TestNumbersOfOptions(t *testing.T) {
	in := t.TempDir()
	paths := []string{writeFile(t, in, "x.parquet", numbers(1, 10, 3, 0), 0)}
	key := []arrowsort.Key{{Path: "key"}}
	for i := range reflect.TypeFor[Options]().NumField() {
		field := reflect.TypeFor[Options]().Field(i)
		if !reflect.Zero(field.Type).CanInt() {
			continue
		}
		for _, value := range []int64{1, -1, math.MaxInt32, math.MaxInt64, math.MinInt64} {
			var opts Options
			reflect.ValueOf(&opts).Elem().Field(i).SetInt(value)
			if err := opts.check(); err != nil {
				require.ErrorIs(t, err, ErrOption)
				require.ErrorContains(t, err, field.Name)
				continue
			}
			require.Positive(t, value, field.Name)
			requireSorted(t, paths, sortFiles(t, paths, t.TempDir(), key, opts), key)
		}
	}
}
