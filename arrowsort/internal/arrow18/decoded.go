package arrow18

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// Stored returns a type of FromLayout with the storage of extension types in their place, on all levels.
func Stored(typ v15.DataType) v15.DataType {
	switch t := storage15(typ).(type) {
	case *v15.DictionaryType:
		return &v15.DictionaryType{IndexType: t.IndexType, ValueType: Stored(t.ValueType), Ordered: t.Ordered}
	default:
		return arraydata.MapTypes(t, Stored)
	}
}

// Decoded replaces dictionary types by the types of their values, also inside nested types. It fails for a dictionary
// inside an extension type, whose storage cannot be replaced.
func Decoded(typ arrow.DataType) (decoded arrow.DataType, ok bool) {
	if !hasDictionary(typ) {
		return typ, true
	}
	switch t := typ.(type) {
	case arrow.ExtensionType: // has fields, too
		return nil, false
	case *arrow.DictionaryType:
		return Decoded(t.ValueType)
	case arrow.NestedType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			if fields[i].Type, ok = Decoded(fields[i].Type); !ok {
				return nil, false
			}
		}
		return withFields(t, fields), true
	}
	return typ, true
}

func hasDictionary(typ arrow.DataType) bool {
	switch t := storage(typ).(type) {
	case *arrow.DictionaryType:
		return true
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return hasDictionary(f.Type) })
	}
	return false
}

// withFields returns a nested type with other fields.
func withFields(typ arrow.NestedType, fields []arrow.Field) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StructType:
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(fields[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(fields[0])
	case *arrow.ListViewType:
		return arrow.ListViewOfField(fields[0])
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(fields[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), fields[0])
	case *arrow.MapType:
		entry := fields[0].Type.(*arrow.StructType)
		m := arrow.MapOfFields(entry.Field(0), entry.Field(1))
		m.KeysSorted = t.KeysSorted
		return m
	case arrow.UnionType:
		return arrow.UnionOf(t.Mode(), fields, t.TypeCodes())
	case *arrow.RunEndEncodedType:
		r := arrow.RunEndEncodedOf(fields[0].Type, fields[1].Type)
		r.ValueNullable = t.ValueNullable
		return r
	}
	panic("arrow18: a nested type of v18 that FromLayout does not convert")
}
