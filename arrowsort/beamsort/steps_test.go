package beamsort

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// runSteps calls the steps of the pipeline one after the other, with groups in a random order, as a runner may. Each
// step is run twice for each of its elements, of which the second result counts. Shards are the same files whether rows
// travel in files or through the runner.
func runSteps(t *testing.T, inputs []string, output string, keys []arrowsort.Key, opts Options) []string {
	t.Helper()
	shards := runStepsOnce(t, inputs, output, keys, opts)
	opts.RunnerShuffle = true
	require.Equal(t, readBytes(t, shards), readBytes(t, runStepsOnce(t, inputs, t.TempDir(), keys, opts)))
	return shards
}

func runStepsOnce(t *testing.T, inputs []string, output string, keys []arrowsort.Key, opts Options) []string {
	t.Helper()
	ctx := t.Context()
	division, err := parquetsort.Divide(ctx, inputs, partBytes, parquetsort.DivideOptions{Keys: keys})
	require.NoError(t, err)
	all := inputParts(division)
	shuffle, err := opts.newShuffle(output)
	require.NoError(t, err)
	with, err := (&settings{Keys: division.Keys, KeyColumns: division.KeyColumns, Output: output, Shuffle: shuffle,
		Shards: opts.Shards, Parts: len(all), Options: opts}).encode(division)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	samples := run(t, all, func(part inputPart, emit func(sample)) error {
		return (&sampleFn{with}).ProcessElement(ctx, part, emit)
	})
	var between []splitters
	if len(samples) > 0 {
		between = run(t, []int{0}, func(zero int, emit func(splitters)) error {
			(&splittersFn{opts.Shards}).ProcessElement(zero, iterate(samples), emit)
			return nil
		})
	}
	type row struct {
		shard int64
		batch []byte
	}
	rows := run(t, all, func(part inputPart, emit func(row)) error {
		return (&partitionFn{with}).ProcessElement(ctx, part, iterate(between),
			func(shard int64, b []byte) { emit(row{shard, b}) })
	})
	(&emptyFn{opts.Shards}).ProcessElement(nil, func(shard int64, b []byte) { rows = append(rows, row{shard, b}) })
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	groups := make([][][]byte, opts.Shards)
	for _, r := range rows {
		groups[r.shard] = append(groups[r.shard], r.batch)
	}
	numbers := random.Perm(opts.Shards)
	written := run(t, numbers, func(number int, emit func(Shard)) error {
		return (&shardFn{with}).ProcessElement(context.Background(), int64(number), iterate(groups[number]), emit)
	})
	slices.SortFunc(written, func(a, b Shard) int { return int(a.Number - b.Number) })
	if shuffle != "" {
		require.NoError(t, (&removeFn{shuffle}).ProcessElement(0, func(*Shard) bool { return false }))
	}
	left, err := os.ReadDir(output)
	require.NoError(t, err)
	require.Len(t, left, opts.Shards, "shards and no other file")
	var paths []string
	for i, s := range written {
		require.Equal(t, filepath.Join(output, shardName(i, opts.Shards)), s.Path)
		paths = append(paths, s.Path)
	}
	return paths
}

// run passes each element to a step twice and returns what the second calls emit.
func run[In, Out any](t *testing.T, elements []In, step func(In, func(Out)) error) (out []Out) {
	t.Helper()
	for _, e := range elements {
		require.NoError(t, step(e, func(Out) {}))
		require.NoError(t, step(e, func(o Out) { out = append(out, o) }))
	}
	return out
}

func iterate[T any](values []T) func(*T) bool {
	return func(b *T) bool {
		if len(values) == 0 {
			return false
		}
		*b, values = values[0], values[1:]
		return true
	}
}

func rowsOf(t *testing.T, shards []string) (rows []int64) {
	for _, s := range shards {
		rows = append(rows, readAll(t, []string{s}).NumRows())
	}
	return rows
}

// TestShapes: few rows, none, one shard, more shards than rows.
func TestShapes(t *testing.T) {
	keys := []arrowsort.Key{{Path: "key"}}
	for _, c := range []struct{ rows, values, files, groupRows, shards int }{
		{0, 1, 1, 0, 1}, {0, 1, 3, 0, 4}, {1, 1, 1, 0, 5}, {3, 2, 2, 0, 20}, {1000, 10, 1, 0, 1},
		{1000, 1, 3, 100, 7}, {5000, 5000, 2, 700, 8}, {100, 3, 2, 1, 30},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			in, out := t.TempDir(), t.TempDir()
			var paths []string
			for i := range c.files {
				table := numbers(uint64(i), c.rows, c.values, i*c.rows)
				paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.parquet", i), table, c.groupRows))
			}
			shards := runSteps(t, paths, out, keys, Options{Shards: c.shards})
			require.Len(t, shards, c.shards)
			requireSorted(t, paths, shards, keys)
			onPrism := sortFiles(t, paths, t.TempDir(), keys, Options{Shards: c.shards})
			require.Equal(t, readBytes(t, shards), readBytes(t, onPrism))
			if all := c.rows * c.files; all > 0 && all < 100 {
				require.Equal(t, min(all, c.shards), len(slices.DeleteFunc(rowsOf(t, shards),
					func(n int64) bool { return n == 0 })), "as many shards have rows as there can be")
			}
		})
	}
}

// TestFrequentKeyIsSpread: 60 % of the rows have the same key, and no shard has much more than its share.
func TestFrequentKeyIsSpread(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	const rows, shards = 40_000, 8
	same, others := numbers(1, rows*6/10, 1, 0), numbers(2, rows*4/10, 1000, rows)
	paths := []string{writeFile(t, in, "0.parquet", same, 5000), writeFile(t, in, "1.parquet", others, 5000)}
	keys := []arrowsort.Key{{Path: "key"}}
	files := runSteps(t, paths, out, keys, Options{Shards: shards})
	requireSorted(t, paths, files, keys)
	for i, n := range rowsOf(t, files) {
		require.InDelta(t, rows/shards, n, rows/shards*0.15, "shard %d", i)
	}
}

// TestKeyTypes sorts random rows by a column of each type, in each order, with nulls, from Arrow files. What package
// parquetsort refuses is refused here.
func TestKeyTypes(t *testing.T) {
	sorted := 0
	for i, typ := range arrowtest.Types() {
		if e, ok := typ.(arrow.ExtensionType); ok && e.StorageType().ID() == arrow.DICTIONARY {
			continue // Arrow does not write them
		}
		in, out := t.TempDir(), t.TempDir()
		key := arrowsort.Key{Path: "v", Order: arrowsort.Order(i % 2), Nulls: arrowsort.NullPlacement(i / 2 % 2)}
		keys := []arrowsort.Key{key}
		var paths []string
		for f := range 2 {
			table := arrowtest.RandomTable(typ, 0.2, []int{40, 0, 60}, uint64(2*i+f))
			paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.arrow", f), table, 0))
		}
		_, want := parquetsort.Sort(t.Context(), paths, filepath.Join(in, "sorted.parquet"),
			parquetsort.Options{Keys: keys})
		if want != nil && typ.ID() == arrow.DATE64 {
			require.ErrorContains(t, want, "not a whole day") // the random values
			continue
		}
		if want != nil {
			_, err := Sort(t.Context(), scopeOf(), paths, out, keys, Options{Shards: 3})
			require.Error(t, err, "%s: %v", typ, want)
			continue
		}
		sorted++
		requireSorted(t, paths, runSteps(t, paths, out, keys, Options{Shards: 3}), keys)
	}
	require.Greater(t, sorted, 40)
}

// TestSeveralKeys: nested, by position, in both directions; the columns of the second file are in another order.
func TestSeveralKeys(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
	var paths []string
	for i := range 3 {
		table := arrowtest.RandomTable(pair, 0.1, []int{300, 200}, uint64(i))
		paths = append(paths, writeFile(t, in, fmt.Sprintf("%d.parquet", i), table, 120))
	}
	keys := []arrowsort.Key{{Path: "v.a", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
		{At: arrowsort.Column(1)},
		{Path: "v.b"}}
	requireSorted(t, paths, runSteps(t, paths, out, keys, Options{Shards: 4}), keys)
}

// TestBatchesOfUnequalRows: the longest strings come together when they are sorted, and a batch of as many rows as
// others would be far too large for a runner.
func TestBatchesOfUnequalRows(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for range 100_000 {
		b.Append("a")
	}
	for range 400 {
		b.Append(strings.Repeat("b", 50_000))
	}
	rows := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: rows.DataType()}}, nil)
	table := array.NewTableFromSlice(schema, [][]arrow.Array{{rows}})
	at, batches := rowPosition{part: 1}, int64(0)
	require.NoError(t, emitAll(table, []int64{90_000}, &at, func(shard int64, b []byte) error {
		require.LessOrEqual(t, len(b), 2*batchBytes)
		rec, err := decodeBatch(b)
		require.NoError(t, err)
		batches++
		rec.Release()
		return nil
	}))
	require.Equal(t, at.number, batches)
	require.Greater(t, batches, int64(10))
}

// TestSpilledShards: a shard is far larger than the memory for it.
func TestSpilledShards(t *testing.T) {
	in, out, spill := t.TempDir(), t.TempDir(), t.TempDir()
	path := writeFile(t, in, "x.parquet", numbers(1, 1_500_000, 1000, 0), 200_000)
	keys := []arrowsort.Key{{Path: "key"}}
	opts := Options{Shards: 1, Memory: parquetsort.MinMemory, SpillDir: spill}
	requireSorted(t, []string{path}, runSteps(t, []string{path}, out, keys, opts), keys)
	left, err := filepath.Glob(filepath.Join(spill, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
