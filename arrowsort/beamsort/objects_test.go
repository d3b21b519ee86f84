package beamsort

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// ranged is the file system of memory by another name, which is read by ranges only.
type ranged struct{ flaky }

var rangeStats struct {
	bytes, requests, open atomic.Int64
	fail                  atomic.Bool
}

func init() {
	filesystem.Register("ranged", func(ctx context.Context) filesystem.Interface {
		return ranged{flaky{memfs.New(ctx)}}
	})
	RegisterRanges("ranged", func(ctx context.Context) (RangeReader, error) {
		rangeStats.open.Add(1)
		return ofRanges{memfs.New(ctx)}, nil
	})
}

// ofRanges reads these.
type ofRanges struct{ filesystem.Interface }

func inMemory(path string) string { return strings.Replace(path, "ranged://", "memfs://", 1) }

func (r ranged) OpenRead(context.Context, string) (io.ReadCloser, error) {
	return nil, errors.New("read by ranges")
}

func (r ranged) Size(ctx context.Context, path string) (int64, error) {
	return r.Interface.Size(ctx, inMemory(path))
}

func (r ofRanges) Close() error {
	rangeStats.open.Add(-1)
	return nil
}

func (r ofRanges) OpenRange(ctx context.Context, path string, offset, length int64) (io.ReadCloser, error) {
	b, err := filesystem.Read(ctx, r.Interface, inMemory(path))
	if err != nil {
		return nil, err
	}
	rangeStats.bytes.Add(length)
	rangeStats.requests.Add(1)
	if rangeStats.fail.Load() {
		length /= 2
	}
	return io.NopCloser(bytes.NewReader(b[offset : offset+length])), nil
}

// wide is a table with a key and a payload that is 200 times as wide, and random.
func wide(rows int) arrow.Table {
	r := rand.New(rand.NewPCG(5, 6))
	keys, texts := array.NewInt64Builder(memory.DefaultAllocator), array.NewBinaryBuilder(memory.DefaultAllocator,
		arrow.BinaryTypes.Binary)
	text := make([]byte, 1600)
	for range rows {
		keys.Append(r.Int64())
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		texts.Append(text)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: arrow.BinaryTypes.Binary}}, nil)
	return array.NewTableFromSlice(schema, [][]arrow.Array{{keys.NewArray()}, {texts.NewArray()}})
}

// TestSamplesNeedTheirColumns: of an object that is read by ranges, metadata and the columns of the keys are fetched
// for the sample, and no row group twice for its rows.
func TestSamplesNeedTheirColumns(t *testing.T) {
	stage := t.TempDir()
	path := writeFile(t, t.TempDir(), "a.parquet", wide(20_000), 10_000)
	info, err := os.Stat(path)
	require.NoError(t, err)
	size := info.Size() // about 32 MB
	put(t, path, "memfs://wide/a.parquet")
	keys, opts, ctx := []arrowsort.Key{{Path: "key"}}, Options{Shards: 3, SpillDir: stage}, t.Context()
	paths := []string{"ranged://wide/a.parquet"}

	rangeStats.bytes.Store(0)
	open := opts.opener(ctx, paths...)
	division, err := parquetsort.Divide(ctx, paths, 1, parquetsort.DivideOptions{Keys: keys, Open: open})
	require.NoError(t, err)
	require.LessOrEqual(t, rangeStats.bytes.Load(), int64(4*blockBytes), "metadata")
	with := &settings{Keys: keys, KeyColumns: division.KeyColumns, Shards: 3, Options: opts, stored: division.Stored}
	all := inputParts(division)
	require.Len(t, all, 2)

	rangeStats.bytes.Store(0)
	ignore := func(arrow.Table) error { return nil }
	for _, part := range all {
		require.NoError(t, with.read(ctx, part, with.KeyColumns, ignore))
	}
	require.LessOrEqual(t, rangeStats.bytes.Load(), size/3, "keys")
	rangeStats.bytes.Store(0)
	for _, part := range all {
		require.NoError(t, with.read(ctx, part, nil, ignore))
	}
	require.InDelta(t, size, rangeStats.bytes.Load(), 6*blockBytes, "rows")

	shards := sortFiles(t, paths, "memfs://wide-sorted", keys, opts)
	requireSorted(t, []string{path}, fetch(t, shards), keys)
	left, err := os.ReadDir(stage)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Zero(t, rangeStats.open.Load(), "connections")
}

// TestRangesThatAreTooShort are errors that name the object, and so is an object that is not there.
func TestRangesThatAreTooShort(t *testing.T) {
	stage := t.TempDir()
	put(t, writeFile(t, t.TempDir(), "a.parquet", numbers(1, 100, 5, 0), 0), "memfs://short/a.parquet")
	rangeStats.fail.Store(true)
	defer rangeStats.fail.Store(false)
	for path, text := range map[string]string{
		"ranged://short/a.parquet": "unexpected EOF", "ranged://short/b.parquet": "b.parquet",
	} {
		_, err := Sort(t.Context(), scopeOf(), []string{path}, "memfs://out", []arrowsort.Key{{Path: "key"}},
			Options{SpillDir: stage})
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, text)
	}
	left, err := os.ReadDir(stage)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestStagedBytes: any bytes, in any order, by several goroutines; a block is fetched once.
func TestStagedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, 5*blockBytes+77)
	for i := range want {
		want[i] = byte(r.Uint32())
	}
	memfs.Write("memfs://any/bytes.arrow", want)
	f, err := open(t.Context(), "ranged://any/bytes.arrow", t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	require.EqualValues(t, len(want), f.Size())
	rangeStats.bytes.Store(0)
	var all sync.WaitGroup
	for range 4 {
		at := make([]int, 20)
		for i := range at {
			at[i] = r.IntN(len(want) + 1)
		}
		all.Go(func() {
			for _, off := range at {
				p := make([]byte, min(len(want)/3, len(want)-off))
				n, err := f.ReadAt(p, int64(off))
				if err != nil || n != len(p) || !bytes.Equal(p, want[off:off+n]) {
					t.Errorf("%d bytes at %d: %d, %v", len(p), off, n, err)
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, rangeStats.bytes.Load(), int64(len(want)))
	n, err := f.ReadAt(make([]byte, 100), int64(len(want)-10))
	require.Equal(t, 10, n)
	require.Equal(t, io.EOF, err)
	_, err = f.ReadAt(make([]byte, 1), int64(len(want)))
	require.Equal(t, io.EOF, err)
}

// TestLocalFilesBesideObjects are read where they are.
func TestLocalFilesBesideObjects(t *testing.T) {
	in := t.TempDir()
	paths := []string{writeFile(t, in, "a.parquet", numbers(1, 500, 10, 0), 0),
		writeFile(t, in, "b.arrow", numbers(2, 500, 10, 500), 0)}
	put(t, paths[1], "memfs://beside/b.arrow")
	keys := []arrowsort.Key{{Path: "key"}}
	shards := sortFiles(t, []string{paths[0], "ranged://beside/b.arrow"}, t.TempDir(), keys, Options{Shards: 2})
	requireSorted(t, paths, shards, keys)
	_, err := Sort(t.Context(), scopeOf(), []string{"ranged://beside/b.csv"}, "memfs://o", keys, Options{})
	require.ErrorContains(t, err, "CSV is not divided")
	require.Panics(t, func() { RegisterRanges("ranged", nil) })
}
