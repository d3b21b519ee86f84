package tablefile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

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
