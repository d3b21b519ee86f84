package tablefile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/stretchr/testify/require"
)

func inOrderAsSaid(context.Context) error { return nil }

// TestCopySorted copies what pqarrow wrote and compares rows, metadata and page index.
func TestCopySorted(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, props := range map[string][]parquet.WriterProperty{
		"none":        {parquet.WithDictionaryDefault(false)},
		"snappy":      {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("somebody")},
		"small pages": {parquet.WithDataPageSize(100), parquet.WithBatchSize(64), parquet.WithDictionaryPageSizeLimit(2000)},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			first := foreignBytes(t, table, props...)
			require.NoError(t, os.WriteFile(from, first, 0o644))
			order := []SortingColumn{{Path: "few int64", Descending: true}}
			size, ok, err := CopySorted(t.Context(), from, to, WriteOptions{Sorting: order}, inOrderAsSaid)
			require.NoError(t, err)
			require.True(t, ok)
			b, err := os.ReadFile(to)
			require.NoError(t, err)
			require.Len(t, b, int(size))
			require.True(t, bytes.HasPrefix(b, first[:len(first)/2]))
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			defer in.Table.Release()
			require.Equal(t, textOf(t, table), textOf(t, in.Table))
			require.Equal(t, order, in.Layout.Sorting())
			r, err := file.NewParquetReader(bytes.NewReader(b))
			require.NoError(t, err)
			before, err := file.NewParquetReader(bytes.NewReader(first))
			require.NoError(t, err)
			require.Equal(t, before.MetaData().GetCreatedBy(), r.MetaData().GetCreatedBy())
			require.Equal(t, before.MetaData().KeyValueMetadata(), r.MetaData().KeyValueMetadata())
			require.Equal(t, 3, r.NumRowGroups())
			for group := range r.NumRowGroups() {
				for leaf := range r.MetaData().Schema.NumColumns() {
					requireIndex(t, b, r, group, leaf)
				}
			}
			again := filepath.Join(t.TempDir(), "again.parquet")
			_, ok, err = CopySorted(t.Context(), to, again, WriteOptions{Sorting: order}, inOrderAsSaid)
			require.NoError(t, err)
			require.True(t, ok)
			c, err := os.ReadFile(again)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, c), "the copy of a copy differs: an index is there twice")
		})
	}
}

func TestCopySortedLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	to := filepath.Join(folder, "to.parquet")
	from := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "from.parquet")
		require.NoError(t, os.WriteFile(path, b, 0o644))
		return path
	}
	require.NoError(t, os.WriteFile(to, []byte("old"), 0o644))
	flat, nested := words(t, memory.DefaultAllocator, 100), nestedTable(t, memory.DefaultAllocator)
	defer flat.Release()
	defer nested.Release()
	good := foreignBytes(t, flat, parquet.WithCompression(compress.Codecs.Snappy))

	_, ok, err := CopySorted(t.Context(), from(foreignBytes(t, nested)), to, WriteOptions{}, inOrderAsSaid)
	require.NoError(t, err)
	require.False(t, ok, "a nested column was copied without a look at it")
	requireOnly(t, to, "old")

	_, ok, err = CopySorted(t.Context(), from(good), to, WriteOptions{}, func(context.Context) error { return ErrNotSorted })
	require.ErrorIs(t, err, ErrNotSorted)
	require.False(t, ok)
	requireOnly(t, to, "old")

	broken := bytes.Clone(good)
	for i := 40; i < 200; i++ {
		broken[i] = 0xA5
	}
	_, ok, err = CopySorted(t.Context(), from(broken), to, WriteOptions{}, inOrderAsSaid)
	require.ErrorIs(t, err, ErrCorrupt)
	require.False(t, ok)
	requireOnly(t, to, "old")

	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	_, _, err = CopySorted(ctx, from(good), to, WriteOptions{}, inOrderAsSaid)
	require.ErrorIs(t, err, stop)
	requireOnly(t, to, "old")
}

// writerFunc is a function that writes.
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestCopySortedStopsWhereTheOrderEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "from.parquet")
	writeNumbered(t, path, 1, 1_000_000, WriteOptions{Compression: Compression{Codec: "none"}})
	in, err := os.Open(path)
	require.NoError(t, err)
	defer in.Close()
	info, err := in.Stat()
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(8*copyStep))
	f, err := openParquet(in, info.Size(), ReadOptions{Allocator: memory.DefaultAllocator})
	require.NoError(t, err)
	failed, written := make(chan struct{}), 0
	c := &sortedCopy{parquetFile: f, end: info.Size(), check: func(context.Context) error {
		defer close(failed)
		return ErrNotSorted
	}}
	err = c.write(t.Context(), writerFunc(func(b []byte) (int, error) {
		<-failed
		time.Sleep(50 * time.Millisecond) // in which the context ends
		written += len(b)
		return len(b), nil
	}))
	require.ErrorIs(t, err, ErrNotSorted)
	require.Less(t, written, 4*copyStep)
}
