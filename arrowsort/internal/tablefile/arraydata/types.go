package arraydata

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// MapTypes returns a nested type with f applied to the types of its fields, and any other type as it is. Names,
// metadata and nullability of the fields stay.
func MapTypes(typ arrow.DataType, f func(arrow.DataType) arrow.DataType) arrow.DataType {
	field := func(child arrow.Field) arrow.Field {
		child.Type = f(child.Type)
		return child
	}
	switch t := typ.(type) {
	case *arrow.StructType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i] = field(fields[i])
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(field(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(field(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), field(t.ElemField()))
	case *arrow.MapType:
		mapped := arrow.MapOf(f(t.KeyType()), f(t.ItemType()))
		mapped.KeysSorted = t.KeysSorted
		mapped.SetItemNullable(t.ItemField().Nullable)
		return mapped
	}
	return typ
}

// StorageOf is the type that the values of an extension type are stored as, and any other type itself.
func StorageOf(typ arrow.DataType) arrow.DataType {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		return StorageOf(ext.StorageType())
	}
	return typ
}

// IsNested reports whether values of a type consist of others.
func IsNested(typ arrow.DataType) bool {
	_, nested := StorageOf(typ).(arrow.NestedType)
	return nested
}
