package adapter

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// StructOf returns the struct type that stores values of typ, if one does.
func StructOf(typ arrow.DataType) (*arrow.StructType, bool) {
	s, ok := arraydata.Storage(typ).(*arrow.StructType)
	return s, ok
}

// Sortable reports whether a column of typ can be a sort key by itself, if the elements of lists and unions can be. A
// struct cannot: its fields are the keys.
func Sortable(typ arrow.DataType) bool {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return sortableEntry(t.ValueType)
	case *arrow.RunEndEncodedType:
		return sortableEntry(t.Encoded())
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return false // no order: the number of hours in a day and of days in a month varies
	}
	_, flat := layoutOf(typ)
	_, nested := NestedFields(typ)
	return flat || nested
}

// sortableEntry reports whether what a dictionary or a run refers to can be sorted.
func sortableEntry(typ arrow.DataType) bool {
	return arraydata.Storage(typ).ID() != arrow.RUN_END_ENCODED && Sortable(typ)
}

// A layout is the kind and the width of the values of a flat column.
type layout struct {
	kind  keyencode.Kind
	width int // bytes per value, per offset or per view; 0 for bits and for nothing
}

// layouts are those of the types that one engine column can hold, but for the ones whose width varies.
var layouts = [64]layout{
	arrow.NULL: {keyencode.Null, 0}, arrow.BOOL: {keyencode.Bool, 0},
	arrow.INT8: {keyencode.Int8, 1}, arrow.INT16: {keyencode.Int16, 2},
	arrow.INT32: {keyencode.Int32, 4}, arrow.DATE32: {keyencode.Int32, 4},
	arrow.TIME32: {keyencode.Int32, 4}, arrow.INTERVAL_MONTHS: {keyencode.Int32, 4},
	arrow.INT64: {keyencode.Int64, 8}, arrow.DATE64: {keyencode.Int64, 8}, arrow.TIME64: {keyencode.Int64, 8},
	arrow.TIMESTAMP: {keyencode.Int64, 8}, arrow.DURATION: {keyencode.Int64, 8},
	arrow.UINT8: {keyencode.Uint8, 1}, arrow.UINT16: {keyencode.Uint16, 2}, arrow.UINT32: {keyencode.Uint32, 4},
	arrow.UINT64: {keyencode.Uint64, 8}, arrow.INTERVAL_DAY_TIME: {keyencode.Uint64, 8},
	arrow.FLOAT16: {keyencode.Float16, 2}, arrow.FLOAT32: {keyencode.Float32, 4},
	arrow.FLOAT64: {keyencode.Float64, 8}, arrow.DECIMAL128: {keyencode.Decimal128, 16},
	arrow.DECIMAL256: {keyencode.Decimal256, 32}, arrow.INTERVAL_MONTH_DAY_NANO: {keyencode.FixedSizeBinary, 16},
	arrow.STRING: {keyencode.Binary, 4}, arrow.BINARY: {keyencode.Binary, 4},
	arrow.LARGE_STRING: {keyencode.LargeBinary, 8}, arrow.LARGE_BINARY: {keyencode.LargeBinary, 8},
	arrow.STRING_VIEW: {keyencode.BinaryView, 16}, arrow.BINARY_VIEW: {keyencode.BinaryView, 16},
}

// layoutOf returns the layout of a type that one engine column can hold. Dictionaries are held by their indices.
func layoutOf(typ arrow.DataType) (layout, bool) {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.FixedSizeBinaryType:
		return layout{keyencode.FixedSizeBinary, t.ByteWidth}, true
	case *arrow.DictionaryType:
		return layoutOf(t.IndexType)
	default:
		l := layouts[t.ID()]
		return l, l != layout{} || t.ID() == arrow.NULL
	}
}

// dictionaryKind returns the kind of a dictionary key with indices of width bytes.
func dictionaryKind(width int) keyencode.Kind {
	return keyencode.Dictionary8 + keyencode.Kind(bits.TrailingZeros(uint(width)))
}
