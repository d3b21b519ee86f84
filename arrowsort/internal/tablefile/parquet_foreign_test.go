package tablefile

import (
	"bytes"
	"strings"
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestRareEncodingsAndCodecs reads files with BYTE_STREAM_SPLIT and LZ4_RAW, and keeps the codec when it writes them.
func TestRareEncodingsAndCodecs(t *testing.T) {
	want := []string{
		"id: 3 1 2", "f32: 1.5 (null) -2.25", "f64: 0.1 -1e+300 3", "i32: 7 (null) -7", "half: 0.5 (null) 2",
		"bytes: YWJjZGU= (null) ZmdoaWo=", "dec: 1.25 (null) -77.25", "list: [1,null] (null) [2.5]",
	}
	for _, name := range []string{"pyarrow-split.parquet", "pyarrow-lz4.parquet"} {
		in, err := readBytes(t, foreignFile(t, name), ReadOptions{Format: Parquet})
		require.NoError(t, err)
		defer in.Table.Release()
		again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
		column := openBytes(t, again).MetaData().RowGroups[0].Columns[1].MetaData
		require.EqualValues(t, compress.Codecs.Lz4Raw, column.Codec)
		out, err := readBytes(t, again, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		defer out.Table.Release()
		for i, text := range want {
			for _, table := range []*Input{in, out} {
				got := table.Schema.Field(i).Name + ":"
				for row := range 3 {
					got += " " + table.Table.Column(i).Data().Chunk(0).ValueStr(row)
				}
				require.Equal(t, text, got, name)
			}
		}
	}
}

// TestUnsignedStatisticsOfArrowGoAreRight: those of nullable unsigned integers were not, up to a version that Copies is
// on its guard against. The bytes of nulls are less and greater than all values.
func TestUnsignedStatisticsOfArrowGoAreRight(t *testing.T) {
	for _, dictionary := range []bool{false, true} {
		props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(dictionary))
		types := []arrow18.FixedWidthDataType{&arrow18.Uint8Type{}, &arrow18.Uint32Type{}, &arrow18.Uint64Type{}}
		for _, typ := range types {
			n := typ.Bytes()
			low, high := make([]byte, n), bytes.Repeat([]byte{0xF0}, n)
			low[0] = 5
			values := bytes.Join([][]byte{low, make([]byte, n), high, bytes.Repeat([]byte{0xFF}, n)}, nil)
			buffers := []*memory18.Buffer{memory18.NewBufferBytes([]byte{0b0101}), memory18.NewBufferBytes(values)}
			a := array18.MakeFromData(array18.NewData(typ, 4, buffers, nil, 2, 0))
			sc := arrow18.NewSchema([]arrow18.Field{{Name: "n", Type: typ, Nullable: true}}, nil)
			var b bytes.Buffer
			w, err := pqarrow.NewFileWriter(sc, &b, props, pqarrow.DefaultWriterProps())
			require.NoError(t, err)
			require.NoError(t, w.Write(array18.NewRecordBatch(sc, []arrow18.Array{a}, 4)))
			require.NoError(t, w.Close())
			meta := openBytes(t, b.Bytes()).MetaData()
			require.True(t, meta.WriterVersion().Equal(metadata.NewAppVersionExplicit("parquet-go", 18, 8, 0)),
				"the one that is trusted, see misjudges")
			found := meta.RowGroups[0].Columns[0].MetaData.Statistics
			require.Equal(t, low, found.MinValue[:n])
			require.Equal(t, high, found.MaxValue[:n])
			require.EqualValues(t, 2, *found.NullCount)
		}
	}
}

// TestTimestampsOfConvertedTypes: a converted type means UTC, as in Arrow C++.
func TestTimestampsOfConvertedTypes(t *testing.T) {
	required := parquet.Repetitions.Required
	micros := schema.MustPrimitive(schema.NewPrimitiveNodeConverted("t", required, parquet.Types.Int64,
		schema.ConvertedTypes.TimestampMicros, 0, 0, 0, -1))
	root := schema.MustGroup(schema.NewGroupNode("", required, schema.FieldList{micros}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	group, err := w.AppendRowGroupChecked()
	require.NoError(t, err)
	column, err := group.NextColumn()
	require.NoError(t, err)
	_, err = column.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{2, 1}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Nil(t, openBytes(t, b.Bytes()).MetaData().FileMetaData.Schema[1].LogicalType)
	in, err := readBytes(t, b.Bytes(), ReadOptions{Format: Parquet})
	require.NoError(t, err)
	defer in.Table.Release()
	require.True(t, arrow.TypeEqual(arrow.FixedWidthTypes.Timestamp_us, in.Schema.Field(0).Type))
}

// TestDecimalsOfEveryWidth: decimals of 256 bits with few digits lost those that passed the bytes of their precision.
func TestDecimalsOfEveryWidth(t *testing.T) {
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 1}, &arrow.Decimal128Type{Precision: 10}, &arrow.Decimal128Type{Precision: 38},
		&arrow.Decimal256Type{Precision: 1}, &arrow.Decimal256Type{Precision: 10}, &arrow.Decimal256Type{Precision: 39},
		&arrow.Decimal256Type{Precision: 76},
	} {
		const rows = `["7", "-7", null, "0", "-9", "9"]`
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(rows))
		require.NoError(t, err)
		defer a.Release()
		sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
		rec := array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))
		table := array.NewTableFromRecords(sc, []arrow.Record{rec})
		in, err := readBytes(t, writeBytes(t, table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
		require.NoError(t, err)
		defer in.Table.Release()
		got := in.Table.Column(0).Data().Chunk(0)
		require.True(t, array.Equal(a, got), "%s: %s", typ, got)
	}
}
