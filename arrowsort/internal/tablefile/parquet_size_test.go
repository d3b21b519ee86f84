package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// TestSizeOfTextThatEncodingsShorten: a few kilobytes of a file may be megabytes of text, in lists as well, by
// dictionaries and by prefixes that are left out. The estimates see it, and what is read at a time stays small.
func TestSizeOfTextThatEncodingsShorten(t *testing.T) {
	long := strings.Repeat("x", 500)
	lists := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 4000 {
		text := long + string(rune('a'+i%20))
		lists.Append(true)
		for range 3 {
			lists.ValueBuilder().(*array.StringBuilder).Append(text)
		}
		texts.Append(text)
	}
	delta := []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
		parquet.WithEncodingFor("c", parquet.Encodings.DeltaByteArray),
		parquet.WithEncodingFor("c.list.element", parquet.Encodings.DeltaByteArray)}
	for _, a := range []arrow.Array{lists.NewArray(), texts.NewArray()} {
		sc := arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType()}}, nil)
		table := array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))})
		bytes := arraydata.TableBytes(table)
		for name, props := range map[string][]parquet.WriterProperty{"dictionaries": nil, "prefixes": delta} {
			b := foreignBytes(t, table, props...)
			require.Less(t, len(b), int(bytes/10))
			path := filepath.Join(t.TempDir(), "t.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			s, err := Scan(path, bytes/20, ReadOptions{})
			require.NoError(t, err)
			require.InEpsilon(t, bytes, s.InMemory, 0.2, "%s of %s", name, a.DataType())
			if name == "prefixes" || a.DataType().ID() == arrow.LIST {
				require.InEpsilon(t, bytes, s.MemoryWithDictionaries, 0.2, "%s of %s", name, a.DataType())
			} else {
				require.Less(t, s.MemoryWithDictionaries, bytes/10)
			}
			piece, err := s.Next(t.Context())
			require.NoError(t, err)
			require.Less(t, arraydata.TableBytes(piece), bytes/3)
			piece.Release()
			s.Close()
		}
	}
}

func TestRowsOfAPage(t *testing.T) {
	table := severalPages(t)
	defer table.Release()
	for _, most := range []int{0, 1000, 1 << 17} {
		b := writeBytes(t, table, Parquet, WriteOptions{PageRows: most})
		r, err := file.NewParquetReader(bytes.NewReader(b))
		require.NoError(t, err)
		if most == 0 {
			most = DefaultPageRows
		}
		for c := range r.MetaData().Schema.NumColumns() {
			meta := r.MetaData().RowGroups[0].Columns[c]
			_, _, firsts, _ := readOffsetIndex(b[*meta.OffsetIndexOffset:][:*meta.OffsetIndexLength])
			if r.MetaData().Schema.Column(c).Name() == "up" {
				require.Len(t, firsts, (int(table.NumRows())+most-1)/most)
			}
			for i, first := range firsts[1:] {
				require.LessOrEqual(t, first-firsts[i], most)
			}
		}
	}
}

// TestRowGroupsWithoutRows: Arrow's writer makes one of a record without rows, with offsets of 0.
func TestRowGroupsWithoutRows(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true}}, nil)
	full, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema,
		bytes.NewReader([]byte(`[{"i":1,"s":"a","l":[1]},{"i":null,"s":"b","l":null}]`)))
	require.NoError(t, err)
	defer full.Release()
	empty := full.NewSlice(0, 0)
	defer empty.Release()
	for name, records := range map[string][]arrow.Record{"alone": {empty}, "first": {empty, full},
		"between": {full, empty, full}} {
		for _, dictionaries := range []bool{false, true} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			var b bytes.Buffer
			columns := convert.ToSchema(schema)
			stored := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
			w, err := pqarrow.NewFileWriter(columns, &b, parquet.NewWriterProperties(), stored)
			require.NoError(t, err)
			for _, rec := range records {
				require.NoError(t, w.Write(toBatch18(rec, columns)))
			}
			require.NoError(t, w.Close())
			in, err := readBytes(t, b.Bytes(), ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: dictionaries})
			require.NoError(t, err, name)
			want := array.NewTableFromRecords(schema, records)
			require.Equal(t, textOf(t, want), textOf(t, in.Table), name)
			again, err := readBytes(t, writeBytes(t, in.Table, Parquet,
				WriteOptions{Template: in.Template, Schema: in.Schema}), ReadOptions{Format: Parquet})
			require.NoError(t, err, name)
			require.Equal(t, textOf(t, want), textOf(t, again.Table), name)
			want.Release()
			again.Table.Release()
			in.Table.Release()
			mem.AssertSize(t, 0)
		}
	}
}
