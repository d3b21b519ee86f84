package writer

import (
	"bytes"
	"encoding/base64"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	arrowipc "github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// ArrowSchemaKey is the metadata of a file that has the Arrow schema.
const ArrowSchemaKey = "ARROW:schema"

// EncodeSchema returns the value of ArrowSchemaKey for a schema: what Parquet's own schema does not say.
func EncodeSchema(sc *arrow18.Schema) (string, error) {
	var message bytes.Buffer
	err := arrowipc.NewWriter(&message, arrowipc.WithSchema(sc)).Close()
	return base64.StdEncoding.EncodeToString(message.Bytes()), err
}

// parquetType returns the type that pqarrow gets for a type, at every level, where it cannot write the type or writes
// it differently from Arrow C++: dates of 64 bits as days, durations as numbers, views as text, dictionaries as their
// values, all kinds of lists alike.
func parquetType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return parquetType(t.StorageType())
	case *arrow.DictionaryType:
		return parquetType(t.ValueType)
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.StringViewType:
		return arrow.BinaryTypes.LargeString
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.LargeBinary
	case *arrow.LargeListType:
		return parquetType(arrow.ListOfField(t.ElemField()))
	case *arrow.FixedSizeListType:
		return parquetType(arrow.ListOfField(t.ElemField()))
	}
	return arraydata.MapTypes(typ, parquetType)
}

// roundTripType returns the type that the Arrow schema in a Parquet file has for a type, the one that is read again:
// views are text, dictionaries of anything but text are their values, and see WideIndices.
func roundTripType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	case *arrow.DictionaryType:
		values := roundTripType(t.ValueType)
		if _, text := values.(arrow.BinaryDataType); text {
			return &arrow.DictionaryType{IndexType: wideIndex(t.IndexType), ValueType: values, Ordered: t.Ordered}
		}
		return values
	}
	return arraydata.MapTypes(typ, roundTripType)
}

// WideIndices returns a type whose dictionaries have indices of 32 bits at least. The rows of a row group may have more
// different values than those of another file had, and readers that take narrower indices from the Arrow schema fail.
func WideIndices(typ arrow.DataType) arrow.DataType {
	if t, ok := typ.(*arrow.DictionaryType); ok {
		return &arrow.DictionaryType{IndexType: wideIndex(t.IndexType), ValueType: WideIndices(t.ValueType),
			Ordered: t.Ordered}
	}
	return arraydata.MapTypes(typ, WideIndices)
}

func wideIndex(index arrow.DataType) arrow.DataType {
	if index.(arrow.FixedWidthDataType).BitWidth() < 32 {
		return arrow.PrimitiveTypes.Int32
	}
	return index
}

// checkTypes returns an error for a type that cannot be written to Parquet.
func checkTypes(sc *arrow.Schema) error {
	for _, f := range sc.Fields() {
		if path, typ := Unsupported(f); typ != nil {
			return errkind.Unsupported("column %q: type %s in Parquet", path, typ)
		}
	}
	return nil
}

// Unsupported returns the path and the type of the first nested field that cannot be written to Parquet; a nil type if
// all can.
func Unsupported(f arrow.Field) (path string, typ arrow.DataType) {
	storage := arraydata.Storage(f.Type)
	switch t := storage.(type) {
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, arrow.UnionType,
		*arrow.RunEndEncodedType, *arrow.ListViewType, *arrow.LargeListViewType:
		return f.Name, f.Type
	case arrow.DecimalType:
		if t.GetScale() < 0 || t.GetScale() > t.GetPrecision() {
			return f.Name, f.Type
		}
	case *arrow.NullType:
		if !f.Nullable {
			return f.Name, f.Type
		}
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == 0 {
			return f.Name, f.Type
		}
	case *arrow.DictionaryType:
		if _, found := Unsupported(arrow.Field{Type: t.ValueType, Nullable: f.Nullable}); found != nil {
			return f.Name, f.Type
		}
	case arrow.NestedType:
		if len(t.Fields()) == 0 {
			return f.Name, f.Type
		}
		for _, child := range t.Fields() {
			if path, found := Unsupported(child); found != nil {
				return f.Name + "." + path, found
			}
		}
	}
	return "", nil
}
