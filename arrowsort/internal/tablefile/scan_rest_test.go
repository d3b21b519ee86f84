package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
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
			mem := arrowtest.Checked(t)
			s := scanFile(t, path, 1<<15, ReadOptions{Allocator: mem})
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
	writeFile(t, path, table, WriteOptions{Compression: Compression{Codec: "none"}})
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
			mem := arrowtest.Checked(t)
			var b bytes.Buffer
			writer := parquet.NewWriterProperties(props...)
			require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &b, 3300, writer, pqarrow.DefaultWriterProps()))
			path := filepath.Join(t.TempDir(), "x.parquet")
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			s := scanFile(t, path, 1, ReadOptions{Allocator: mem})
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

func TestSomeColumnsOfParquet(t *testing.T) {
	flat, nested := flatTable(t, memory.DefaultAllocator, 50, 5), nestedTable(t, memory.DefaultAllocator)
	defer flat.Release()
	defer nested.Release()
	for _, c := range []struct {
		table   arrow.Table
		columns []int
	}{{flat, []int{3}}, {flat, []int{0, 36, 37, 7, 42}}, {nested, []int{5, 0}}, {nested, []int{2}}} {
		for _, dictionaries := range []bool{false, true} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			b := writeBytes(t, c.table, Parquet, WriteOptions{RowGroupRows: 3})
			in, err := readBytes(t, b, ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: dictionaries,
				Schema: func(*arrow.Schema) ([]int, error) { return c.columns, nil }})
			require.NoError(t, err)
			require.Equal(t, c.columns, in.Columns)
			require.Equal(t, len(c.table.Schema().Fields()), len(in.Schema.Fields()))
			want := picked(c.table, c.columns)
			require.Equal(t, textOf(t, want), textOf(t, in.Table))
			if !dictionaries {
				require.Equal(t, arraydata.Pick(in.Schema, c.columns).String(), in.Table.Schema().String())
			}
			want.Release()
			in.Table.Release()
			mem.AssertSize(t, 0)
		}
	}
}

func picked(table arrow.Table, columns []int) arrow.Table {
	some := make([]arrow.Column, len(columns))
	for i, c := range columns {
		some[i] = *table.Column(c)
	}
	return array.NewTable(arraydata.Pick(table.Schema(), columns), some, table.NumRows())
}
