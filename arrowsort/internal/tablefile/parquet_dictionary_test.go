package tablefile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// words has strings and integers with few and with many values, with and without nulls, over several batches and row
// groups of the writer.
func words(t *testing.T, mem memory.Allocator, rows int) arrow.Table {
	r := rand.New(rand.NewPCG(5, 6))
	var fields []arrow.Field
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Timestamp_us} {
		for _, name := range []string{"few", "few nulls", "many", "many nulls", "all nulls"} {
			fields = append(fields, arrow.Field{Name: name + " " + typ.String(), Type: typ,
				Nullable: strings.HasSuffix(name, "nulls")})
		}
	}
	b := array.NewRecordBuilder(mem, arrow.NewSchema(fields, nil))
	defer b.Release()
	for range rows {
		for i, f := range fields {
			n := int64(r.IntN(50))
			if strings.HasPrefix(f.Name, "many") {
				n = r.Int64N(1 << 40)
			}
			if f.Nullable && (r.IntN(5) == 0 || strings.HasPrefix(f.Name, "all")) {
				b.Field(i).AppendNull()
				continue
			}
			switch b := b.Field(i).(type) {
			case *array.StringBuilder:
				b.Append(fmt.Sprint("value ", n))
			case *array.LargeStringBuilder:
				b.Append(fmt.Sprint("value ", n))
			case *array.Int64Builder:
				b.Append(n)
			case *array.TimestampBuilder:
				b.Append(arrow.Timestamp(n))
			}
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
}

func TestDictionariesAreCarriedThroughParquet(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	table := words(t, mem, 5000)
	defer table.Release()
	first := writeBytes(t, table, Parquet, WriteOptions{Allocator: mem, RowGroupRows: 2100})
	in, err := readBytes(t, first, ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: true})
	require.NoError(t, err)
	defer in.Table.Release()
	for i, f := range in.Table.Schema().Fields() {
		dictionary := !strings.HasPrefix(f.Name, "many") && strings.Contains(f.Name, "utf8")
		require.Equal(t, dictionary, f.Type.ID() == arrow.DICTIONARY, f.Name)
		require.Equal(t, table.Schema().Field(i).String(), in.Schema.Field(i).String())
	}
	require.Equal(t, textOf(t, table), textOf(t, in.Table))
	second := writeBytes(t, in.Table, Parquet,
		WriteOptions{Allocator: mem, RowGroupRows: 1700, Template: in.Template, Schema: in.Schema})
	again, err := readBytes(t, second, ReadOptions{Format: Parquet, Allocator: mem})
	require.NoError(t, err)
	defer again.Table.Release()
	requireTables(t, table, again.Table)
}

func TestNullEntriesOfDictionariesAreWrittenAsNull(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	a, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 1, 2, null, 1]`, `["a", null, ""]`)
	require.NoError(t, err)
	defer a.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a}, 5)
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	in, err := readBytes(t, writeBytes(t, table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
	require.NoError(t, err)
	defer in.Table.Release()
	require.Equal(t, []string{"a|", "null|", "|", "null|", "null|"}, textOf(t, in.Table))
}
