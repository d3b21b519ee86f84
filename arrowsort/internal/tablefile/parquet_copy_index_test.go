package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestIndexOfCopiedChunks copies what pqarrow wrote and compares rows, metadata and page index.
func TestIndexOfCopiedChunks(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, props := range map[string][]parquet.WriterProperty{
		"none":   {parquet.WithDictionaryDefault(false)},
		"snappy": {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("somebody")},
		"small pages": {parquet.WithDataPageSize(100), parquet.WithBatchSize(64),
			parquet.WithDictionaryPageSizeLimit(2000)},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			first := foreignBytes(t, table, props...)
			require.NoError(t, os.WriteFile(from, first, 0o644))
			order := []SortingColumn{{Path: "few int64", Descending: true}}
			require.NoError(t, copied(t.Context(), from, to, order))
			b, err := os.ReadFile(to)
			require.NoError(t, err)
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			defer in.Table.Release()
			require.Equal(t, textOf(t, table), textOf(t, in.Table))
			require.Equal(t, order, in.Layout.Sorting())
			r, err := file.NewParquetReader(bytes.NewReader(b))
			require.NoError(t, err)
			before, err := file.NewParquetReader(bytes.NewReader(first))
			require.NoError(t, err)
			require.Equal(t, before.MetaData().KeyValueMetadata(), r.MetaData().KeyValueMetadata())
			require.Equal(t, 3, r.NumRowGroups())
			for group := range r.NumRowGroups() {
				for leaf := range r.MetaData().Schema.NumColumns() {
					requireIndex(t, b, r, group, leaf)
				}
			}
			again := filepath.Join(t.TempDir(), "again.parquet")
			require.NoError(t, copied(t.Context(), to, again, order))
			c, err := os.ReadFile(again)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, c), "the copy of a copy differs: an index is there twice")
		})
	}
}
