package tablefile

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestStatisticsBoundTheirRowGroup reads the statistics of every column chunk and compares them with its rows.
func TestStatisticsBoundTheirRowGroup(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 3000)
	defer table.Release()
	b := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 1000})
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, 3, r.NumRowGroups())
	for g := range 3 {
		for c := range int(table.NumCols()) {
			chunk, err := r.RowGroup(g).MetaData().ColumnChunk(c)
			require.NoError(t, err)
			stats, err := chunk.Statistics()
			require.NoError(t, err)
			name := table.Schema().Field(c).Name
			a := array.NewSlice(table.Column(c).Data().Chunk(0), int64(g*1000), int64(g*1000+1000))
			require.EqualValues(t, a.NullN(), stats.NullCount(), name)
			require.EqualValues(t, a.Len()-a.NullN(), stats.NumValues(), name)
			require.Equal(t, a.NullN() < a.Len(), stats.HasMinMax(), name)
			if stats.HasMinMax() {
				low, high := bounds(a)
				require.Equal(t, low, stats.EncodeMin(), name)
				require.Equal(t, high, stats.EncodeMax(), name)
			}
			a.Release()
		}
	}
}

// bounds are the least and the greatest value as Parquet stores them.
func bounds(a arrow.Array) (low, high []byte) {
	var texts []string
	var numbers []int64
	for i := range a.Len() {
		switch a := a.(type) {
		case *array.Int64:
			if a.IsValid(i) {
				numbers = append(numbers, a.Value(i))
			}
		case *array.Timestamp:
			if a.IsValid(i) {
				numbers = append(numbers, int64(a.Value(i)))
			}
		default:
			if a.IsValid(i) {
				texts = append(texts, a.ValueStr(i))
			}
		}
	}
	if texts != nil {
		return []byte(slices.Min(texts)), []byte(slices.Max(texts))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(slices.Min(numbers))),
		binary.LittleEndian.AppendUint64(nil, uint64(slices.Max(numbers)))
}

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

// TestChunksWithNaN: NaNs are counted, and a chunk with one has no page index of bounds, which would have to have both.
// No chunk of the column has an upper bound in the metadata, as readers take those that are there for the bounds of the
// file, and NaN for the greatest value of all. Lower bounds stay.
func TestChunksWithNaN(t *testing.T) {
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
				chunk, path := r.MetaData().RowGroups[group].Columns[leaf], r.MetaData().Schema.Column(leaf).Path()
				s := chunk.MetaData.Statistics
				require.Equal(t, group == 1, *s.NanCount > 0, "%s: %s", name, path)
				require.Equal(t, group == 1, chunk.ColumnIndexOffset == nil, "%s: %s", name, path)
				require.NotNil(t, s.MinValue, "%s: %s", name, path)
				require.Nil(t, s.MaxValue, "%s: %s", name, path)
				require.NotNil(t, chunk.OffsetIndexOffset)
			}
		}
	}
}

// TestNaNsWithTheSignBit are below all numbers for some readers: no chunk of the column has bounds.
func TestNaNsWithTheSignBit(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues([]float64{1, 2, math.Copysign(math.NaN(), -1), 4}, nil)
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	record := array.NewRecord(sc, []arrow.Array{b.NewArray()}, 4)
	out := writeBytes(t, array.NewTableFromRecords(sc, []arrow.Record{record}), Parquet, WriteOptions{RowGroupRows: 2})
	r := openBytes(t, out)
	for group := range 2 {
		requireIndex(t, out, r, group, 0)
		require.Nil(t, r.MetaData().RowGroups[group].Columns[0].MetaData.Statistics.MinValue)
	}
}

// TestChunksWithLongBounds: bounds of long text are cut. Where nothing short is above a chunk, that chunk has no upper
// bound, and those of the others are marked as inexact: readers that take exact bounds for those of the file would skip
// it.
func TestChunksWithLongBounds(t *testing.T) {
	long, last := strings.Repeat("y", 5000), strings.Repeat("\U0010FFFF", 5000)
	rows := ""
	for _, text := range []string{"a", long, "b", "c", "d", last, last, last} {
		rows += `{"s":"` + text + "\"}\n"
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	cut := strings.Repeat("y", 63) + "z"
	type bounds struct {
		low, high           string
		lowExact, highExact bool
	}
	for name, c := range map[string]struct {
		rows int64
		want []bounds
	}{
		"cut": {4, []bounds{{"a", cut, true, false}, {"b", "c", true, true}}},
		"one without an upper bound": {6, []bounds{{"a", cut, true, false}, {"b", "c", true, false},
			{"d", "", true, false}}},
		"all values are long": {8, []bounds{{"a", cut, true, false}, {"b", "c", true, false}, {"d", "", true, false},
			{last[:64], "", false, false}}},
	} {
		table := tableOf(t, memory.DefaultAllocator, schema, rows, 0)
		defer table.Release()
		part := array.NewTableFromSlice(schema, [][]arrow.Array{{array.NewSlice(table.Column(0).Data().Chunk(0), 0,
			c.rows)}})
		r := openBytes(t, writeBytes(t, part, Parquet, WriteOptions{RowGroupRows: 2}))
		require.Equal(t, len(c.want), r.NumRowGroups())
		for group, want := range c.want {
			chunk := r.MetaData().RowGroups[group].Columns[0]
			s := chunk.MetaData.Statistics
			got := bounds{string(s.MinValue), string(s.MaxValue), *s.IsMinValueExact, s.MaxValue != nil &&
				*s.IsMaxValueExact}
			require.Equal(t, want, got, "%s: row group %d", name, group)
			require.Equal(t, want.high == "", s.MaxValue == nil)
			require.NotNil(t, chunk.ColumnIndexOffset)
		}
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
