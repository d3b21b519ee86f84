package tablefile

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// floats has columns of every floating-point type, flat and nested, with three values above a row of NaN, that and a
// null, and four values below: a row group of four rows in the middle has NaN.
func floats(t testing.TB, mem memory.Allocator) arrow.Table {
	var fields []arrow.Field
	for name, typ := range map[string]arrow.DataType{
		"16": arrow.FixedWidthTypes.Float16, "32": arrow.PrimitiveTypes.Float32, "64": arrow.PrimitiveTypes.Float64,
	} {
		fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true},
			arrow.Field{Name: "required" + name, Type: typ},
			arrow.Field{Name: "list" + name, Type: arrow.ListOf(typ), Nullable: true},
			arrow.Field{Name: "struct" + name, Type: arrow.StructOf(arrow.Field{Name: "x", Type: typ, Nullable: true}),
				Nullable: true})
	}
	var rows bytes.Buffer
	for _, value := range []string{"1.5", "1.5", "2", "2", "2.5", `"NaN"`, "null", "1.5", "-1", "2.5", "2.5", "-1"} {
		rows.WriteString("{")
		for _, f := range fields {
			x := value
			if !f.Nullable && value == "null" {
				x = "7"
			}
			switch f.Type.ID() {
			case arrow.LIST:
				x = "[0.5," + x + ",1]"
			case arrow.STRUCT:
				x = `{"x":` + x + `}`
			}
			rows.WriteString(`"` + f.Name + `":` + x + ",")
		}
		rows.WriteString("\"\":0}\n")
	}
	return tableOf(t, mem, arrow.NewSchema(fields, nil), rows.String(), 0)
}

// TestChunksWithNaNHaveNoBounds: neither the metadata nor the page index of a chunk with NaN have a least and a
// greatest value, as a reader that takes NaN for the greatest one of all would pass over rows that it wants. Its nulls
// are counted, and its pages found. The metadata of the other chunks have none either: readers take those that are
// there for the bounds of the file.
func TestChunksWithNaNHaveNoBounds(t *testing.T) {
	table := floats(t, memory.DefaultAllocator)
	defer table.Release()
	dictionaries := foreignBytes(t, table)
	plain := foreignBytes(t, table, parquet.WithDictionaryDefault(false))
	for name, b := range map[string][]byte{"dictionaries": dictionaries, "plain": plain} {
		in, err := readBytes(t, b, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		b = writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema, RowGroupRows: 4,
			PageRows: 2})
		in.Table.Release()
		r, err := file.NewParquetReader(bytes.NewReader(b))
		require.NoError(t, err)
		require.Equal(t, 3, r.NumRowGroups())
		for group := range 3 {
			for leaf := range r.MetaData().Schema.NumColumns() {
				requireIndex(t, b, r, group, leaf)
				chunk := r.MetaData().RowGroups[group].Columns[leaf]
				require.Equal(t, group == 1, chunk.ColumnIndexOffset == nil, "%s: %s", name,
					r.MetaData().Schema.Column(leaf).Path())
				require.Nil(t, chunk.MetaData.Statistics.MinValue)
				require.Nil(t, chunk.MetaData.Statistics.Max)
				require.NotNil(t, chunk.OffsetIndexOffset)
			}
		}
	}
}

// TestChunksWithOneBound: where one bound of a chunk is too long for the metadata, no chunk of the column has any.
func TestChunksWithOneBound(t *testing.T) {
	long := strings.Repeat("z", 5000)
	rows := `{"s":"a"}` + "\n" + `{"s":"` + long + `"}` + "\n" + `{"s":"b"}` + "\n" + `{"s":"c"}` + "\n"
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	table := tableOf(t, memory.DefaultAllocator, schema, rows, 0)
	defer table.Release()
	b := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 2})
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, 2, r.NumRowGroups())
	for group := range 2 {
		s := r.MetaData().RowGroups[group].Columns[0].MetaData.Statistics
		require.Nil(t, s.MinValue)
		require.Nil(t, s.MaxValue)
	}
}

// TestNaNsKeepTheirBits: every NaN has its sign and payload in columns, structs and lists, and zeros their sign, where
// pqarrow's dictionaries have one NaN for all.
func TestNaNsKeepTheirBits(t *testing.T) {
	patterns := []uint64{0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000123, 1 << 63, 0, 0xfff8000000000001}
	var wide []float64
	var narrow []float32
	for _, bits := range patterns {
		wide = append(wide, math.Float64frombits(bits))
		narrow = append(narrow, math.Float32frombits(uint32(bits>>32)|uint32(bits&1)))
	}
	for _, leaf := range []arrow.ArrayData{
		array.NewData(arrow.PrimitiveTypes.Float64, len(wide),
			[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(wide))}, nil, 0, 0),
		array.NewData(arrow.PrimitiveTypes.Float32, len(narrow),
			[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(narrow))}, nil, 0, 0),
	} {
		fixed := arrow.FixedSizeListOf(2, leaf.DataType())
		group := arrow.StructOf(arrow.Field{Name: "x", Type: leaf.DataType()})
		for _, d := range []arrow.ArrayData{
			leaf, array.NewData(group, leaf.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{leaf}, 0, 0),
			array.NewData(fixed, leaf.Len()/2, []*memory.Buffer{nil}, []arrow.ArrayData{leaf}, 0, 0),
		} {
			sc := arrow.NewSchema([]arrow.Field{{Name: "c", Type: d.DataType()}}, nil)
			record := array.NewRecord(sc, []arrow.Array{array.MakeFromData(d)}, int64(d.Len()))
			b := writeBytes(t, array.NewTableFromRecords(sc, []arrow.Record{record}), Parquet, WriteOptions{})
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			got := in.Table.Column(0).Data().Chunk(0).Data()
			if len(got.Children()) > 0 {
				got = got.Children()[0]
			}
			want := leaf.Buffers()[1].Bytes()
			require.Equal(t, want, got.Buffers()[1].Bytes()[:len(want)], d.DataType())
			in.Table.Release()
		}
	}
}
