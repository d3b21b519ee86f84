package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// foreignBytes is the table as pqarrow writes it.
func foreignBytes(t testing.TB, table arrow.Table, props ...parquet.WriterProperty) []byte {
	var b bytes.Buffer
	writer := parquet.NewWriterProperties(props...)
	require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &b, 700, writer, pqarrow.DefaultWriterProps()))
	return b.Bytes()
}

// TestDirectColumns reads what pqarrow wrote with every codec, in pages of every kind, and counts the columns that are
// read without pqarrow: all of fixed width and all text, but none of unknown pages.
func TestDirectColumns(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, c := range map[string]struct {
		props  []parquet.WriterProperty
		direct int
	}{
		"none":        {nil, 20},
		"snappy":      {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}, 20},
		"gzip":        {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Gzip)}, 20},
		"brotli":      {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Brotli)}, 20},
		"zstd":        {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Zstd)}, 20},
		"small pages": {[]parquet.WriterProperty{parquet.WithDataPageSize(100), parquet.WithBatchSize(64)}, 20},
		"small dictionary": {[]parquet.WriterProperty{parquet.WithDictionaryPageSizeLimit(2000),
			parquet.WithBatchSize(64)}, 20},
		"plain":          {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false)}, 20},
		"second version": {[]parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2)}, 20},
		"delta": {[]parquet.WriterProperty{parquet.WithDictionaryFor("few int64", false),
			parquet.WithEncodingFor("few int64", parquet.Encodings.DeltaBinaryPacked)}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			b := foreignBytes(t, table, c.props...)
			opts := ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: true}
			in, err := readBytes(t, b, opts)
			require.NoError(t, err)
			defer in.Table.Release()
			require.Equal(t, textOf(t, table), textOf(t, in.Table))

			path := filepath.Join(t.TempDir(), "x.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			s, err := Scan(path, 1<<20, opts)
			require.NoError(t, err)
			defer s.Close()
			require.Len(t, s.parquet.Decoded(), c.direct)
		})
	}
}
