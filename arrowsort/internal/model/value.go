package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
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
				x := value(chunk, row, key.Fields)
				if x != nil && key.Function != nil {
					x = key.Function(x)
				}
				values = append(values, x)
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

// A list is the elements of a list or a map, or the fields of a struct in one.
type list []any

// A union is a value with the code of its type.
type union struct {
	code  int8
	value any
}

// element returns an element of a list, or the value of a union: structs as lists of their fields.
func element(arr arrow.Array, row int) any {
	s, ok := storage(arr.DataType()).(*arrow.StructType)
	if !ok {
		return value(arr, row, nil)
	}
	if ext, ok := arr.(array.ExtensionArray); ok {
		return element(ext.Storage(), row)
	}
	if arr.IsNull(row) {
		return nullFields(s)
	}
	fields := list{}
	for i := range s.Fields() {
		fields = append(fields, element(arr.(*array.Struct).Field(i), row))
	}
	return fields
}

// nullFields returns the fields of a null struct.
func nullFields(s *arrow.StructType) list {
	fields := make(list, len(s.Fields()))
	for i, f := range s.Fields() {
		if inner, ok := storage(f.Type).(*arrow.StructType); ok {
			fields[i] = nullFields(inner)
		}
	}
	return fields
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
	case array.ListLike:
		elements := list{}
		from, to := a.ValueOffsets(row)
		for i := from; i < to; i++ {
			elements = append(elements, element(a.ListValues(), int(i)))
		}
		return elements
	case *array.SparseUnion:
		return union{a.TypeCode(row), element(a.Field(a.ChildID(row)), row)}
	case *array.DenseUnion:
		return union{a.TypeCode(row), element(a.Field(a.ChildID(row)), int(a.ValueOffset(row)))}
	case *array.Boolean:
		return a.Value(row)
	case *array.Float16:
		return half(a.Value(row))
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

// half returns the value of a float16, also of a subnormal one, which Float32 of Arrow gets wrong.
func half(n float16.Num) float64 {
	if bits := n.Uint16(); bits&0x7fff < 1<<10 {
		return math.Copysign(math.Ldexp(float64(bits&0x7fff), -24), float64(n.Float32()))
	}
	return float64(n.Float32())
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
