package tablefile

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/stretchr/testify/require"
)

// writeNumbered writes a Parquet file with nulls, text and lists, in groups of some rows.
func writeNumbered(t *testing.T, path string, seed uint64, rows int, opts WriteOptions) {
	r := rand.New(rand.NewPCG(seed, 1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil))
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if r.IntN(3) == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(string(rune('a' + r.IntN(26))))
		}
		list := b.Field(2).(*array.ListBuilder)
		list.Append(true)
		for range r.IntN(3) {
			list.ValueBuilder().(*array.Int32Builder).Append(r.Int32())
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	_, err := Write(context.Background(), path, table, opts)
	require.NoError(t, err)
}

func TestCopiedRowGroupsAndTheirIndex(t *testing.T) {
	folder := t.TempDir()
	a, b, out := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet"), filepath.Join(folder, "out.parquet")
	snappy := WriteOptions{RowGroupRows: 150_000, Compression: Compression{Codec: "snappy"}}
	writeNumbered(t, a, 1, 200_000, snappy)
	writeNumbered(t, b, 2, 160_000, snappy)
	first, err := Scan(a, 0, ReadOptions{})
	require.NoError(t, err)
	defer first.Close()
	sorting := []SortingColumn{{Path: "n"}}
	w, err := Create(t.Context(), out, first.Schema, WriteOptions{Schema: first.Schema, Layout: first.Layout, Sorting: sorting})
	require.NoError(t, err)
	defer w.Abort()
	var all []arrow.Table
	for _, path := range []string{a, b} {
		in, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err)
		defer in.Table.Release()
		all = append(all, in.Table)
		s, err := Scan(path, 0, ReadOptions{})
		require.NoError(t, err)
		require.True(t, w.Copies(s))
		require.NoError(t, w.Copy(t.Context(), s))
		s.Close()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)

	got, err := Read(t.Context(), out, ReadOptions{})
	require.NoError(t, err)
	defer got.Table.Release()
	require.Equal(t, append(textOf(t, all[0]), textOf(t, all[1])...), textOf(t, got.Table))
	require.Equal(t, sorting, got.Layout.Sorting())
	require.Len(t, got.Layout.RowGroups(), 4)

	raw, err := os.ReadFile(out)
	require.NoError(t, err)
	r, err := file.NewParquetReader(bytes.NewReader(raw))
	require.NoError(t, err)
	defer r.Close()
	for group := range r.NumRowGroups() {
		for leaf := range r.MetaData().Schema.NumColumns() {
			requireIndex(t, raw, r, group, leaf)
		}
	}
}

func TestWhatIsNotCopied(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.parquet")
	writeNumbered(t, path, 1, 50_000, WriteOptions{Compression: Compression{Codec: "snappy"}})
	small := filepath.Join(folder, "small.parquet")
	writeNumbered(t, small, 1, 5_000, WriteOptions{RowGroupRows: 100})
	s, err := Scan(path, 0, ReadOptions{})
	require.NoError(t, err)
	defer s.Close()
	tiny, err := Scan(small, 0, ReadOptions{})
	require.NoError(t, err)
	defer tiny.Close()
	other := arrow.NewSchema(s.Schema.Fields()[:2], nil)
	for name, c := range map[string]struct {
		path   string
		schema *arrow.Schema
		opts   WriteOptions
		from   *Scanner
		copies bool
	}{
		"the same":            {"out.parquet", s.Schema, WriteOptions{}, s, true},
		"the same codec":      {"out.parquet", s.Schema, WriteOptions{Compression: Compression{Codec: "snappy"}}, s, true},
		"another codec":       {"out.parquet", s.Schema, WriteOptions{Compression: Compression{Codec: "zstd"}}, s, false},
		"another format":      {"out.arrow", s.Schema, WriteOptions{}, s, false},
		"other columns":       {"out.parquet", other, WriteOptions{}, s, false},
		"row groups too tiny": {"out.parquet", s.Schema, WriteOptions{}, tiny, false},
	} {
		w, err := Create(t.Context(), filepath.Join(folder, c.path), c.schema, c.opts)
		require.NoError(t, err, name)
		require.Equal(t, c.copies, w.Copies(c.from), name)
		w.Abort()
	}
}
