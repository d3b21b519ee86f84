package tablefile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

func TestLayoutOfTheInputIsKept(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 50, 9)
	defer table.Release()
	for _, codec := range []string{"snappy", "gzip", "none", "zstd"} {
		first := writeBytes(t, table, Parquet, WriteOptions{Compression: Compression{Codec: codec}})
		in, err := readBytes(t, first, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		second := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
		in.Table.Release()
		a, b := openBytes(t, first), openBytes(t, second)
		require.True(t, a.MetaData().Schema.Equals(b.MetaData().Schema))
		require.True(t, a.MetaData().KeyValueMetadata().Equals(b.MetaData().KeyValueMetadata()))
		requireCodecs(t, codec, b)
		third := writeBytes(t, table, Parquet,
			WriteOptions{Template: templateOf(t, first), Compression: Compression{Codec: "brotli"}})
		requireCodecs(t, "brotli", openBytes(t, third)) // what is asked for goes first
	}
}

func requireCodecs(t *testing.T, codec string, r *file.Reader) {
	for i, c := range r.MetaData().RowGroups[0].Columns {
		require.Equal(t, page.Codecs[codec], compress.Compression(c.MetaData.Codec), i)
	}
}

// templateOf is the template of a file.
func templateOf(t testing.TB, b []byte) *Template {
	in, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.NoError(t, err)
	in.Table.Release()
	return in.Template
}

func openBytes(t testing.TB, b []byte) *file.Reader {
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	return r
}

// withFooter is the file with the pages of another and a footer.
func withFooter(t testing.TB, pages []byte, footer *metadata.FileMetaData) []byte {
	var b bytes.Buffer
	_, err := footer.WriteTo(&b, nil)
	require.NoError(t, err)
	file := binary.LittleEndian.AppendUint32(slices.Concat(pages, b.Bytes()), uint32(b.Len()))
	return append(file, "PAR1"...)
}

// pagesOfFile is a file without its footer.
func pagesOfFile(b []byte) []byte {
	tail := len(b) - 8
	return b[:tail-int(binary.LittleEndian.Uint32(b[tail:]))]
}
