package arrowtest

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Values returns the values of a column as text, across its chunks, see Value.
func Values(column *arrow.Chunked) (values []string) {
	for _, c := range column.Chunks() {
		for i := range c.Len() {
			values = append(values, Value(c, i))
		}
	}
	return values
}

// Value writes row i of an array of any type as text that differs where values differ: fixed-width values, strings and
// binary values exactly, dictionary and run-end-encoded values as what they stand for.
func Value(arr arrow.Array, i int) string {
	switch a := arr.(type) {
	case *array.RunEndEncoded:
		return Value(a.Values(), a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), Value(a.Field(a.ChildID(i)), i))
	case *array.DenseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), Value(a.Field(a.ChildID(i)), int(a.ValueOffset(i))))
	case *array.Null:
		return "null"
	}
	if arr.IsNull(i) {
		return "null"
	}
	switch a := arr.(type) {
	case array.ExtensionArray:
		return Value(a.Storage(), i)
	case *array.Dictionary:
		return Value(a.Dictionary(), a.GetValueIndex(i))
	case *array.Struct:
		fields := make([]string, a.NumField())
		for f := range fields {
			fields[f] = Value(a.Field(f), i)
		}
		return "{" + strings.Join(fields, ",") + "}"
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		values := make([]string, 0, end-start)
		for k := start; k < end; k++ {
			values = append(values, Value(a.ListValues(), int(k)))
		}
		return "[" + strings.Join(values, ",") + "]"
	case *array.Boolean:
		return fmt.Sprint(a.Value(i))
	case interface{ Value(int) string }:
		return fmt.Sprintf("%q", a.Value(i))
	case interface{ Value(int) []byte }:
		return fmt.Sprintf("%q", a.Value(i))
	}
	data, width := arr.Data(), arr.DataType().(arrow.FixedWidthDataType).Bytes()
	return fmt.Sprintf("%x", data.Buffers()[1].Bytes()[(data.Offset()+i)*width:][:width])
}
