package tablefile

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestColumnChunksOfSeveralPages has nulls in the last page only, in integers with a dictionary and without and in
// text.
func TestColumnChunksOfSeveralPages(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	const rows = 2*DefaultPageRows + 77
	r := rand.New(rand.NewPCG(3, 9))
	text := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "few", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "many", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: text, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range rows {
		if i > rows-40 && i%3 == 0 {
			for _, f := range b.Fields() {
				f.AppendNull()
			}
			continue
		}
		b.Field(0).(*array.Int64Builder).Append(r.Int64N(700))
		b.Field(1).(*array.Int64Builder).Append(r.Int64())
		require.NoError(t, b.Field(2).(*array.BinaryDictionaryBuilder).AppendString([]string{"", "a", "bc"}[r.IntN(3)]))
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	opts := WriteOptions{Allocator: mem, RowGroupRows: rows}
	in, err := readBytes(t, writeBytes(t, table, Parquet, opts), ReadOptions{Format: Parquet, Allocator: mem})
	require.NoError(t, err)
	defer in.Table.Release()
	for i := range schema.Fields() {
		want, got := rec.Column(i), in.Table.Column(i).Data().Chunk(0)
		require.Equal(t, rows, got.Len())
		require.Equal(t, want.NullN(), got.NullN())
		for row := range rows {
			if want.IsNull(row) != got.IsNull(row) || want.IsValid(row) && want.ValueStr(row) != got.ValueStr(row) {
				require.Failf(t, "rows differ", "column %s, row %d: %s, %s", schema.Field(i).Name, row,
					want.ValueStr(row), got.ValueStr(row))
			}
		}
	}
}
