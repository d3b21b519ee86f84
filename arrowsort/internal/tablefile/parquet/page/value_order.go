package page

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/float16"
)

// ValueOrder compares values of a leaf column as Parquet stores them, in the order that the format defines for its
// type; nil where it defines none.
func ValueOrder(column *schema.Column) func(a, b []byte) int {
	signed := column.SortOrder() == schema.SortSIGNED
	_, half := column.LogicalType().(schema.Float16LogicalType)
	switch order := column.SortOrder(); {
	case order == schema.SortUNKNOWN:
		return nil
	case column.PhysicalType() == parquet.Types.Boolean:
		return bytes.Compare
	case column.PhysicalType() == parquet.Types.Int32 && signed:
		return ordered(func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	case column.PhysicalType() == parquet.Types.Int32:
		return ordered(binary.LittleEndian.Uint32)
	case column.PhysicalType() == parquet.Types.Int64 && signed:
		return ordered(func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case column.PhysicalType() == parquet.Types.Int64:
		return ordered(binary.LittleEndian.Uint64)
	case column.PhysicalType() == parquet.Types.Float:
		return ordered(func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case column.PhysicalType() == parquet.Types.Double:
		return ordered(func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	case half:
		return ordered(func(b []byte) float32 { return float16.FromLEBytes(b).Float32() })
	case column.PhysicalType() == parquet.Types.FixedLenByteArray && signed:
		return compareSigned
	case signed:
		return nil // a decimal of any length, which is not written here
	}
	return bytes.Compare
}

func ordered[T cmp.Ordered](value func([]byte) T) func(a, b []byte) int {
	return func(a, b []byte) int { return cmp.Compare(value(a), value(b)) }
}

// compareSigned compares two's complements of the same length, big-endian.
func compareSigned(a, b []byte) int {
	if len(a) > 0 && len(b) > 0 && a[0] != b[0] {
		return cmp.Compare(int8(a[0]), int8(b[0]))
	}
	return bytes.Compare(a, b)
}
