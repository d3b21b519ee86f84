package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"
)

// simple are the types without parameters of both versions.
var simple = []struct {
	v15 v15.DataType
	v18 arrow.DataType
}{
	{v15.Null, arrow.Null}, {v15.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Boolean},
	{v15.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8}, {v15.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint8},
	{v15.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int16}, {v15.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint16},
	{v15.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32}, {v15.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint32},
	{v15.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64}, {v15.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Uint64},
	{v15.FixedWidthTypes.Float16, arrow.FixedWidthTypes.Float16},
	{v15.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float32},
	{v15.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64},
	{v15.BinaryTypes.String, arrow.BinaryTypes.String},
	{v15.BinaryTypes.LargeString, arrow.BinaryTypes.LargeString},
	{v15.BinaryTypes.Binary, arrow.BinaryTypes.Binary},
	{v15.BinaryTypes.LargeBinary, arrow.BinaryTypes.LargeBinary},
	{v15.BinaryTypes.StringView, arrow.BinaryTypes.StringView},
	{v15.BinaryTypes.BinaryView, arrow.BinaryTypes.BinaryView},
	{v15.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date32},
	{v15.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Date64},
	{v15.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.MonthInterval},
	{v15.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.DayTimeInterval},
	{v15.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.MonthDayNanoInterval},
}

// simpleTypes and simpleTypes15 are these types by the one of the other version.
var simpleTypes, simpleTypes15 = simpleMaps()

func simpleMaps() (map[v15.Type]arrow.DataType, map[arrow.Type]v15.DataType) {
	to, from := map[v15.Type]arrow.DataType{}, map[arrow.Type]v15.DataType{}
	for _, both := range simple {
		to[both.v15.ID()], from[both.v18.ID()] = both.v18, both.v15
	}
	return to, from
}
