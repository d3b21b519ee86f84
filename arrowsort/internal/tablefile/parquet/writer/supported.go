package writer

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// checkTypes makes sure that Parquet, and its writer, have the types of a schema, before any work.
func checkTypes(sc *arrow.Schema) error {
	for _, f := range sc.Fields() {
		if path, typ := Unsupported(f); typ != nil {
			return fileerror.Unsupported("column %q: type %s in Parquet", path, typ)
		}
	}
	return nil
}

// Unsupported returns the path and the type of the first part of a field that is not written to Parquet; no type
// for none.
func Unsupported(f arrow.Field) (path string, typ arrow.DataType) {
	storage := arraydata.StorageOf(f.Type)
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
