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
