package tablefile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestLayoutOfTheInputIsKept(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 50, 9)
	defer table.Release()
	for _, codec := range []string{"snappy", "gzip", "none", "zstd"} {
		first := writeBytes(t, table, Parquet, WriteOptions{Compression: Compression{Codec: codec}})
		in, err := readBytes(t, first, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		second := writeBytes(t, in.Table, Parquet, WriteOptions{Layout: in.Layout, Schema: in.Schema})
		in.Table.Release()
		a, b := openBytes(t, first), openBytes(t, second)
		require.True(t, a.MetaData().Schema.Equals(b.MetaData().Schema))
		require.True(t, a.MetaData().KeyValueMetadata().Equals(b.MetaData().KeyValueMetadata()))
		for _, c := range newLayout(b).columns() {
			require.Equal(t, parquetCodecs[codec], c.codec, c.path)
		}
		third := writeBytes(t,
			table, Parquet, WriteOptions{Layout: newLayout(a), Compression: Compression{Codec: "brotli"}})
		require.Equal(t, parquetCodecs["brotli"], newLayout(openBytes(t, third)).columns()[0].codec,
			"what is asked for goes first")
	}
}

func openBytes(t testing.TB, b []byte) *file.Reader {
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	return r
}
