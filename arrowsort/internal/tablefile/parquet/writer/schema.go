package writer

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// plainType is the type as which Parquet stores a column of a type that pqarrow does not write, or not as Arrow C++
// does, and parts of one: dates of 64 bits as days, durations as numbers, views as text, dictionaries as their values,
// all kinds of lists alike.
func plainType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return plainType(t.StorageType())
	case *arrow.DictionaryType:
		return plainType(t.ValueType)
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.StringViewType:
		return arrow.BinaryTypes.LargeString
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.LargeBinary
	case *arrow.LargeListType:
		return plainType(arrow.ListOfField(t.ElemField()))
	case *arrow.FixedSizeListType:
		return plainType(arrow.ListOfField(t.ElemField()))
	}
	return arraydata.MapTypes(typ, plainType)
}

// namedType is the type that the Arrow schema in a Parquet file has for a type, the one that is read again: views are
// text, dictionaries of anything but text are their values.
func namedType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	case *arrow.DictionaryType:
		values := namedType(t.ValueType)
		if _, text := values.(arrow.BinaryDataType); text {
			return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: values, Ordered: t.Ordered}
		}
		return values
	}
	return arraydata.MapTypes(typ, namedType)
}
