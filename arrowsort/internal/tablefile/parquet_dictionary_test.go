package tablefile

import (
	"bytes"
	"fmt"
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestNarrowIndices: the Arrow schema of a Parquet file names no indices into a dictionary that number fewer values
// than a row group may have, whatever the rows or the file before had: readers take their width from there.
func TestNarrowIndices(t *testing.T) {
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8,
		arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32,
		arrow.PrimitiveTypes.Int64} {
		typ := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
		fields := []arrow.Field{{Name: "d", Type: typ, Nullable: true}}
		schema := arrow.NewSchema(append(fields, arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64}), nil)
		var records []arrow.Record
		for batch := range 2 {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for i := range 60 {
				value := fmt.Sprint(batch, " ", i)
				require.NoError(t, b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(value))
				b.Field(1).(*array.Int64Builder).Append(int64(i))
			}
			records = append(records, b.NewRecord())
		}
		table := array.NewTableFromRecords(schema, records)
		var foreign bytes.Buffer
		require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &foreign, 60, parquet.NewWriterProperties(),
			pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())))
		in := readInput(t, foreign.Bytes(), ReadOptions{Format: Parquet})
		for name, b := range map[string][]byte{
			"an Arrow file":  writeBytes(t, table, Parquet, WriteOptions{}),
			"a Parquet file": writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema}),
			"some columns": writeBytes(t, in.Table, Parquet, WriteOptions{Schema: in.Schema,
				Template: selected(t, in.Template, []int{0, 1})}),
		} {
			stored := storedIndex(t, b)
			require.GreaterOrEqual(t, stored.BitWidth(), 32, "%s of %s", name, index)
			if index.(arrow.FixedWidthDataType).BitWidth() >= 32 {
				require.Equal(t, index.Name(), stored.Name(), name)
			}
			require.Equal(t, textOf(t, table), textOf(t, readInput(t, b, ReadOptions{Format: Parquet}).Table), name)
		}
	}
}

func selected(t *testing.T, from *Template, columns []int) *Template {
	some, err := from.Select(columns)
	require.NoError(t, err)
	return some
}

// storedIndex returns the type of the indices of the first column in the Arrow schema of a Parquet file.
func storedIndex(t *testing.T, b []byte) arrow18.FixedWidthDataType {
	f, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory18.DefaultAllocator)
	require.NoError(t, err)
	sc, err := r.Schema()
	require.NoError(t, err)
	return sc.Field(0).Type.(*arrow18.DictionaryType).IndexType.(arrow18.FixedWidthDataType)
}
