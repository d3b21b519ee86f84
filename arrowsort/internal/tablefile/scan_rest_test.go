package tablefile

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// Pieces far smaller than pages, of which none is kept from piece to piece.
func TestPiecesOfPagesThatAreNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.parquet")
	for name, opts := range map[string]WriteOptions{
		"snappy":       {RowGroupRows: 60_000, Compression: Compression{Codec: "snappy"}},
		"none":         {RowGroupRows: 60_000, Compression: Compression{Codec: "none"}},
		"a large page": {RowGroupRows: 60_000, PageRows: 60_000, Compression: Compression{Codec: "zstd"}},
	} {
		t.Run(name, func(t *testing.T) {
			writeNumbered(t, path, 3, 100_000, opts)
			whole, err := Read(t.Context(), path, ReadOptions{})
			require.NoError(t, err)
			defer whole.Table.Release()
			want := textOf(t, whole.Table)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			s, err := Scan(path, 1<<15, ReadOptions{Allocator: mem})
			require.NoError(t, err)
			defer s.Close()
			require.True(t, s.batches.(*reader.Batches).Rereads)
			at := 0
			for pieces := 0; ; pieces++ {
				piece, err := s.Next(t.Context())
				if err == io.EOF {
					require.Greater(t, pieces, 20)
					break
				}
				require.NoError(t, err)
				got := textOf(t, piece)
				piece.Release()
				require.Equal(t, want[at:at+len(got)], got)
				at += len(got)
			}
			require.Len(t, want, at)
		})
	}
}

// Rows that are long come few at a time, and the more of them the fewer columns are read.
func TestPiecesOfLongRows(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "long", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	for i := range 600 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(strings.Repeat(strconv.Itoa(i), 10_000))
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	path := filepath.Join(t.TempDir(), "long.parquet")
	_, err := Write(t.Context(), path, table, WriteOptions{Compression: Compression{Codec: "none"}})
	require.NoError(t, err)
	for _, c := range []struct {
		columns []int
		rows    int64
	}{{[]int{0, 1}, 1 << 20 / 30_000}, {[]int{0}, 600}} {
		s, err := Scan(path, 1<<20, ReadOptions{})
		require.NoError(t, err)
		s.SelectColumns(c.columns)
		piece, err := s.Next(t.Context())
		require.NoError(t, err)
		require.InDelta(t, c.rows, piece.NumRows(), 10, "the rows of a piece")
		piece.Release()
		s.Close()
	}
}
