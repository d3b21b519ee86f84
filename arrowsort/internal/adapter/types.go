package adapter

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// StructOf is the struct type that stores values of typ, if one does.
func StructOf(typ arrow.DataType) (*arrow.StructType, bool) {
	s, ok := take.Storage(typ).(*arrow.StructType)
	return s, ok
}

// Sortable reports whether a column of typ can be a sort key by itself. A struct cannot: its fields are the keys.
func Sortable(typ arrow.DataType) bool {
	switch t := take.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return sortableEntry(t.ValueType)
	case *arrow.RunEndEncodedType:
		return sortableEntry(t.Encoded())
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return false // no order: the number of hours in a day and of days in a month varies
	}
	_, flat := layoutOf(typ)
	return flat
}

// sortableEntry reports whether what a dictionary or a run refers to can be sorted.
func sortableEntry(typ arrow.DataType) bool {
	return take.Storage(typ).ID() != arrow.RUN_END_ENCODED && Sortable(typ)
}

// A layout is how the values of a flat column lie in memory.
type layout struct {
	kind  keyencode.Kind
	width int // bytes per value, per offset or per view; 0 for bits and for nothing
}

// layoutOf is the layout of a type that one engine column can hold. Dictionaries are held by their indices.
func layoutOf(typ arrow.DataType) (layout, bool) {
	typ = take.Storage(typ)
	switch typ.ID() {
	case arrow.NULL:
		return layout{keyencode.Null, 0}, true
	case arrow.BOOL:
		return layout{keyencode.Bool, 0}, true
	case arrow.INT8:
		return layout{keyencode.Int8, 1}, true
	case arrow.INT16:
		return layout{keyencode.Int16, 2}, true
	case arrow.INT32, arrow.DATE32, arrow.TIME32, arrow.INTERVAL_MONTHS:
		return layout{keyencode.Int32, 4}, true
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return layout{keyencode.Int64, 8}, true
	case arrow.UINT8:
		return layout{keyencode.Uint8, 1}, true
	case arrow.UINT16:
		return layout{keyencode.Uint16, 2}, true
	case arrow.UINT32:
		return layout{keyencode.Uint32, 4}, true
	case arrow.UINT64, arrow.INTERVAL_DAY_TIME:
		return layout{keyencode.Uint64, 8}, true
	case arrow.FLOAT16:
		return layout{keyencode.Float16, 2}, true
	case arrow.FLOAT32:
		return layout{keyencode.Float32, 4}, true
	case arrow.FLOAT64:
		return layout{keyencode.Float64, 8}, true
	case arrow.DECIMAL128:
		return layout{keyencode.Decimal128, 16}, true
	case arrow.DECIMAL256:
		return layout{keyencode.Decimal256, 32}, true
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return layout{keyencode.FixedSizeBinary, 16}, true
	case arrow.FIXED_SIZE_BINARY:
		return layout{keyencode.FixedSizeBinary, typ.(*arrow.FixedSizeBinaryType).ByteWidth}, true
	case arrow.STRING, arrow.BINARY:
		return layout{keyencode.Binary, 4}, true
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return layout{keyencode.LargeBinary, 8}, true
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return layout{keyencode.BinaryView, 16}, true
	case arrow.DICTIONARY:
		return layoutOf(typ.(*arrow.DictionaryType).IndexType)
	}
	return layout{}, false
}

// dictionaryKind is the kind of a dictionary key with indices of width bytes.
func dictionaryKind(width int) keyencode.Kind {
	switch width {
	case 1:
		return keyencode.Dictionary8
	case 2:
		return keyencode.Dictionary16
	case 4:
		return keyencode.Dictionary32
	}
	return keyencode.Dictionary64
}
