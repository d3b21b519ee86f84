package model

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A Column is a column of a table: its type and its chunks.
type Column struct {
	Type   arrow.DataType
	Chunks []arrow.Array
}

// NewOrder reads the keys of all rows. Struct keys are replaced by their fields, in their order.
func NewOrder(columns []Column, keys []Key) Order {
	var order Order
	for _, key := range keys {
		column := columns[key.Column]
		typ := storage(column.Type)
		for _, field := range key.Fields {
			typ = storage(typ.(*arrow.StructType).Field(field).Type)
		}
		if s, ok := typ.(*arrow.StructType); ok {
			for i := range s.Fields() {
				field := key
				field.Fields = append(slices.Clone(key.Fields), i)
				order = append(order, NewOrder(columns, []Key{field})...)
			}
			continue
		}
		values := []any{}
		for _, chunk := range column.Chunks {
			for row := range chunk.Len() {
				values = append(values, value(chunk, row, key.Fields))
			}
		}
		order = append(order, leaf{key, values})
	}
	return order
}

func storage(typ arrow.DataType) arrow.DataType {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		return storage(ext.StorageType())
	}
	return typ
}

// value returns a row of an array as a Go value, nil for null. Fields lead into structs; a field of a null struct is
// null.
func value(arr arrow.Array, row int, fields []int) any {
	switch a := arr.(type) {
	case *array.Null:
		return nil
	case *array.RunEndEncoded:
		return value(a.Values(), a.GetPhysicalIndex(row), nil)
	case array.ExtensionArray:
		return value(a.Storage(), row, fields)
	}
	if arr.IsNull(row) {
		return nil
	}
	switch a := arr.(type) {
	case *array.Struct:
		return value(a.Field(fields[0]), row, fields[1:])
	case *array.Dictionary:
		return value(a.Dictionary(), a.GetValueIndex(row), nil)
	case *array.Boolean:
		return a.Value(row)
	case *array.Float16:
		return float64(a.Value(row).Float32())
	case *array.Float32:
		return float64(a.Value(row))
	case *array.Float64:
		return a.Value(row)
	case *array.Decimal128:
		return a.Value(row)
	case *array.Decimal256:
		return a.Value(row)
	case interface{ Value(int) string }:
		return []byte(a.Value(row))
	case interface{ Value(int) []byte }:
		return a.Value(row)
	}
	return integer(arr, row)
}

// integer returns a row of an array of integers or of a temporal type.
func integer(arr arrow.Array, row int) any {
	switch a := arr.(type) {
	case *array.Int8:
		return int64(a.Value(row))
	case *array.Int16:
		return int64(a.Value(row))
	case *array.Int32:
		return int64(a.Value(row))
	case *array.Int64:
		return a.Value(row)
	case *array.Uint8:
		return uint64(a.Value(row))
	case *array.Uint16:
		return uint64(a.Value(row))
	case *array.Uint32:
		return uint64(a.Value(row))
	case *array.Uint64:
		return a.Value(row)
	case *array.Date32:
		return int64(a.Value(row))
	case *array.Date64:
		return int64(a.Value(row))
	case *array.Time32:
		return int64(a.Value(row))
	case *array.Time64:
		return int64(a.Value(row))
	case *array.Timestamp:
		return int64(a.Value(row))
	case *array.Duration:
		return int64(a.Value(row))
	case *array.MonthInterval:
		return int64(a.Value(row))
	}
	panic(fmt.Sprintf("model: no value of %s", arr.DataType()))
}
