package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// TestPiecesEndInsidePages reads pieces whose borders are not those of pages, of a dictionary and of plain pages behind
// it.
func TestPiecesEndInsidePages(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 5000)
	defer table.Release()
	want := textOf(t, table)
	for name, props := range map[string][]parquet.WriterProperty{
		"large pages": {parquet.WithCompression(compress.Codecs.Snappy)},
		"small pages": {parquet.WithDataPageSize(100), parquet.WithBatchSize(77)},
		"small dictionary": {parquet.WithDictionaryPageSizeLimit(2000), parquet.WithBatchSize(300),
			parquet.WithCompression(compress.Codecs.Zstd)},
		"second version": {parquet.WithDataPageVersion(parquet.DataPageV2),
			parquet.WithCompression(compress.Codecs.Snappy)},
		"plain": {parquet.WithDictionaryDefault(false)},
	} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			var b bytes.Buffer
			writer := parquet.NewWriterProperties(props...)
			require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &b, 3300, writer, pqarrow.DefaultWriterProps()))
			path := filepath.Join(t.TempDir(), "x.parquet")
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			s, err := Scan(path, 1, ReadOptions{Allocator: mem})
			require.NoError(t, err)
			defer s.Close()
			s.batches.(*reader.Batches).Rows = 1024
			row, pieces := 0, 0
			for {
				piece, err := s.Next(t.Context())
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				got := textOf(t, piece)
				require.Equal(t, want[row:row+len(got)], got, "piece %d", pieces)
				row, pieces = row+len(got), pieces+1
				piece.Release()
			}
			require.Equal(t, []int{5000, 5}, []int{row, pieces})
		})
	}
}
