package tablefile

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/stretchr/testify/require"
)

const (
	required = iota
	optional
	repeated
)

var repetitions = []parquet.Repetition{parquet.Repetitions.Required, parquet.Repetitions.Optional,
	parquet.Repetitions.Repeated}

// leafNode is a leaf column of a schema, of 32-bit integers or of bytes with a logical type.
func leafNode(name string, repetition int, typ schema.LogicalType) schema.Node {
	if typ == nil {
		return schema.NewInt32Node(name, repetitions[repetition], -1)
	}
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, repetitions[repetition], typ,
		parquet.Types.ByteArray, 0, -1))
}

// groupNode is a group of a schema; without a logical type for nil.
func groupNode(name string, repetition int, typ schema.LogicalType, fields ...schema.Node) schema.Node {
	if typ == nil {
		return schema.MustGroup(schema.NewGroupNode(name, repetitions[repetition], fields, -1))
	}
	return schema.MustGroup(schema.NewGroupNodeLogical(name, repetitions[repetition], fields, typ, -1))
}

// fileOfRows is a file of three rows: repeated fields have two values, none and one.
func fileOfRows(t testing.TB, columns ...schema.Node) []byte {
	root := groupNode("root", required, nil, columns...).(*schema.GroupNode)
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	group, err := w.AppendBufferedRowGroupChecked()
	require.NoError(t, err)
	for i := range w.Schema.NumColumns() {
		column := w.Schema.Column(i)
		full := column.MaxDefinitionLevel()
		def, rep := []int16{full, full, 0, full}, []int16{0, 1, 0, 0}
		if column.MaxRepetitionLevel() == 0 {
			def, rep = nil, nil
		}
		c, err := group.Column(i)
		require.NoError(t, err)
		switch c := c.(type) {
		case *file.Int32ColumnChunkWriter:
			_, err = c.WriteBatch([]int32{3, 1, 2}, def, rep)
		case *file.Int64ColumnChunkWriter:
			_, err = c.WriteBatch([]int64{3, -1 << 16, 1 << 16}, def, rep)
		case *file.FixedLenByteArrayColumnChunkWriter:
			values := make([]parquet.FixedLenByteArray, 3)
			for i := range values {
				values[i] = append(bytes.Repeat([]byte{-byte(i & 1)}, column.TypeLength()-2), byte(i), 7)
			}
			_, err = c.WriteBatch(values, def, rep)
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch([]parquet.ByteArray{[]byte("[1]"), []byte("{}"), []byte("2")}, def, rep)
		}
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// requireKept makes sure that a file that is read and written has the same schema, to the letter, and values.
func requireKept(t testing.TB, b []byte) {
	in := readInput(t, b, ReadOptions{Format: Parquet})
	again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
	require.Equal(t, openBytes(t, b).MetaData().FileMetaData.Schema, openBytes(t, again).MetaData().FileMetaData.Schema)
	out := readInput(t, again, ReadOptions{Format: Parquet})
	require.Equal(t, in.Schema.String(), out.Schema.String())
	require.Equal(t, textOf(t, in.Table), textOf(t, out.Table))
}

// TestRepeatedFieldsKeepTheirSchema has lists of two levels, repeated fields that are no lists, and logical types in
// them: elements stay required, and names and JSON stay.
func TestRepeatedFieldsKeepTheirSchema(t *testing.T) {
	var list, json, text schema.LogicalType = schema.ListLogicalType{}, schema.JSONLogicalType{},
		schema.StringLogicalType{}
	fields := map[string]schema.Node{
		"two levels": groupNode("a", optional, list, leafNode("array", repeated, nil)),
		"of text":    groupNode("a", optional, list, leafNode("array", repeated, text)),
		"of structs": groupNode("a", optional, list,
			groupNode("array", repeated, nil, leafNode("x", optional, nil), leafNode("y", required, json))),
		"of tuples": groupNode("a", required, list, groupNode("a_tuple", repeated, nil, leafNode("x", required, nil))),
		"of lists": groupNode("a", optional, list,
			groupNode("array", repeated, list, leafNode("array", repeated, json))),
		"repeated":         leafNode("a", repeated, nil),
		"repeated JSON":    leafNode("a", repeated, json),
		"repeated structs": groupNode("a", repeated, nil, leafNode("x", optional, nil), leafNode("y", repeated, json)),
		"in a struct": groupNode("a", optional, nil,
			groupNode("b", repeated, nil, leafNode("x", required, nil), leafNode("y", optional, text))),
		"bags": groupNode("a", optional, list,
			groupNode("bag", repeated, nil, leafNode("array_element", optional, json))),
		"maps with optional keys": groupNode("a", optional, schema.MapLogicalType{},
			groupNode("key_value", repeated, nil, leafNode("key", optional, text), leafNode("value", optional, nil))),
		"maps": groupNode("a", optional, schema.MapLogicalType{}, groupNode("map", repeated, nil,
			leafNode("k", required, text), leafNode("v", optional, json))),
	}
	for name, field := range fields {
		t.Run(name, func(t *testing.T) {
			requireKept(t, fileOfRows(t, leafNode("k", required, nil), field))
		})
	}
}

// TestDecimalsKeepTheirForm: decimals stay integers, or bytes of the length that they had, also in a shredded variant,
// which is none with another form. Their statistics are those of the form.
func TestDecimalsKeepTheirForm(t *testing.T) {
	decimal := func(name string, repetition int, precision int32, typ parquet.Type, length int) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, repetitions[repetition],
			schema.NewDecimalLogicalType(precision, 2), typ, length, -1))
	}
	for name, c := range map[string]struct {
		precision int32
		typ       parquet.Type
		length    int
	}{
		"int32": {9, parquet.Types.Int32, 0}, "int64": {18, parquet.Types.Int64, 0},
		"int64 of few digits": {5, parquet.Types.Int64, 0}, "16 bytes": {30, parquet.Types.FixedLenByteArray, 16},
		"least bytes": {30, parquet.Types.FixedLenByteArray, 13}, "any bytes": {30, parquet.Types.ByteArray, 0},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(name string, repetition int) schema.Node {
				return decimal(name, repetition, c.precision, c.typ, c.length)
			}
			binary := func(name string, repetition int) schema.Node {
				return schema.NewByteArrayNode(name, repetitions[repetition], -1)
			}
			b := fileOfRows(t, leafNode("k", required, nil), of("d", required),
				groupNode("l", optional, schema.ListLogicalType{}, groupNode("list", repeated, nil,
					of("element", optional))),
				groupNode("v", required, schema.VariantLogicalType{}, binary("metadata", required),
					binary("value", required), groupNode("typed_value", optional, schema.ListLogicalType{},
						groupNode("list", repeated, nil, groupNode("element", optional, nil,
							binary("value", repeated), of("typed_value", optional))))))
			requireKept(t, b)
			in := readInput(t, b, ReadOptions{Format: Parquet})
			again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
			before := openBytes(t, b).MetaData().RowGroups[0].Columns[1].MetaData
			after := openBytes(t, again).MetaData().RowGroups[0].Columns[1].MetaData
			require.Equal(t, before.Type, after.Type)
			if c.typ != parquet.Types.ByteArray { // for which this package has no order
				require.Equal(t, before.Statistics.MinValue, after.Statistics.MinValue)
				require.Equal(t, before.Statistics.MaxValue, after.Statistics.MaxValue)
			}
		})
	}
}

// TestDecimalsInStructsKeepTheirForm: the pages of a decimal with a dictionary, whose values grow in its form, do not
// share memory with those of the next.
func TestDecimalsInStructsKeepTheirForm(t *testing.T) {
	var fields []schema.Node
	for _, name := range []string{"a", "b", "c"} {
		fields = append(fields, schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, repetitions[required],
			schema.NewDecimalLogicalType(9, 2), parquet.Types.Int64, 0, -1)))
	}
	root := groupNode("root", required, nil, groupNode("s", required, nil, fields...)).(*schema.GroupNode)
	var b bytes.Buffer
	dictionaries := parquet.NewWriterProperties(parquet.WithDictionaryDefault(true))
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(dictionaries))
	group, err := w.AppendRowGroupChecked()
	require.NoError(t, err)
	values := make([]int64, 5000)
	for range fields {
		for i := range values {
			values[i] = int64(i*7%300 - 50)
		}
		c, err := group.NextColumn()
		require.NoError(t, err)
		_, err = c.(*file.Int64ColumnChunkWriter).WriteBatch(values, nil, nil)
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	require.NoError(t, w.Close())
	require.NotNil(t, openBytes(t, b.Bytes()).MetaData().RowGroups[0].Columns[1].MetaData.DictionaryPageOffset)
	requireKept(t, b.Bytes())
}

// A leafValue is a value of a leaf column; nil bytes are a null.
type leafValue struct {
	row      int
	def, rep int16
	bytes    []byte
}

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) >= len(b)-1 }

func isNaN(column *schema.Column, b []byte) bool {
	if _, half := column.LogicalType().(schema.Float16LogicalType); half {
		return binary.LittleEndian.Uint16(b)&0x7FFF > 0x7C00
	}
	switch column.PhysicalType() {
	case parquet.Types.Float:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case parquet.Types.Double:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return false
}

// leafValues reads all values of a column chunk with arrow/go.
func leafValues(t *testing.T, r *file.Reader, group, leaf int) (values []leafValue) {
	c, err := r.RowGroup(group).Column(leaf)
	require.NoError(t, err)
	column := c.Descriptor()
	most := r.MetaData().RowGroups[group].Columns[leaf].MetaData.NumValues
	def, rep := make([]int16, most), make([]int16, most)
	var raw [][]byte
	total := int64(0)
	for total < most { // a batch ends with its page
		n := most - total
		var levels int64
		var got int
		d, p := def[total:], rep[total:]
		switch c := c.(type) {
		case *file.BooleanColumnChunkReader:
			v := make([]bool, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, []byte{map[bool]byte{true: 1}[x]})
			}
		case *file.Int32ColumnChunkReader:
			v := make([]int32, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint32(nil, uint32(x)))
			}
		case *file.Int64ColumnChunkReader:
			v := make([]int64, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint64(nil, uint64(x)))
			}
		case *file.Float32ColumnChunkReader:
			v := make([]float32, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
			}
		case *file.Float64ColumnChunkReader:
			v := make([]float64, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		case *file.ByteArrayColumnChunkReader:
			v := make([]parquet.ByteArray, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, append([]byte{}, x...))
			}
		case *file.FixedLenByteArrayColumnChunkReader:
			v := make([]parquet.FixedLenByteArray, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, slices.Clone([]byte(x)))
			}
		default:
			require.Failf(t, "no such reader", "%T", c)
		}
		require.NoError(t, err)
		require.Positive(t, levels)
		total += levels
	}
	row := -1
	for i := range most {
		if rep[i] == 0 {
			row++
		}
		v := leafValue{row: row, def: def[i], rep: rep[i]}
		if column.MaxDefinitionLevel() == 0 || def[i] == column.MaxDefinitionLevel() {
			v.bytes, raw = raw[0], raw[1:]
		}
		values = append(values, v)
	}
	require.Empty(t, raw)
	return values
}
