package arraydata

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Pick returns a schema with some of its columns; all when columns is nil.
func Pick(schema *arrow.Schema, columns []int) *arrow.Schema {
	if columns == nil {
		return schema
	}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = schema.Field(c)
	}
	meta := schema.Metadata()
	return arrow.NewSchema(fields, &meta)
}

// WithTypes returns a schema with other types.
func WithTypes(sc *arrow.Schema, of func(arrow.DataType) arrow.DataType) *arrow.Schema {
	fields := append([]arrow.Field(nil), sc.Fields()...)
	for i := range fields {
		fields[i].Type = of(fields[i].Type)
	}
	meta := sc.Metadata()
	return arrow.NewSchema(fields, &meta)
}

// MapTypes returns a nested type with f applied to the types of its fields, and any other type as it is.
func MapTypes(typ arrow.DataType, f func(arrow.DataType) arrow.DataType) arrow.DataType {
	nested, ok := typ.(arrow.NestedType)
	if !ok {
		return typ
	}
	fields := slices.Clone(nested.Fields())
	for i := range fields {
		fields[i].Type = f(fields[i].Type)
	}
	return WithFields(nested, fields)
}

// WithFields returns a nested type with other fields. The fields of maps, and those of the entries in them, keep their
// names, as do those of runs, which have no metadata. A type that is no list, struct, map, union or run stays.
func WithFields(typ arrow.NestedType, fields []arrow.Field) arrow.DataType {
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
		key, item := entry.Field(0), entry.Field(1)
		m := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(item.Nullable)
		return m
	case arrow.UnionType:
		return arrow.UnionOf(t.Mode(), fields, t.TypeCodes())
	case *arrow.RunEndEncodedType:
		runs := arrow.RunEndEncodedOf(fields[0].Type, fields[1].Type)
		runs.ValueNullable = fields[1].Nullable
		return runs
	}
	return typ
}

// Storage returns the type that the values of an extension type are stored as, and any other type as it is.
func Storage(typ arrow.DataType) arrow.DataType {
	for {
		ext, ok := typ.(arrow.ExtensionType)
		if !ok {
			return typ
		}
		typ = ext.StorageType()
	}
}

// Any reports whether is holds for the storage type of typ, or of a type nested in it at any level. The type of the
// values of a dictionary is not nested in it.
func Any(typ arrow.DataType, is func(storage arrow.DataType) bool) bool {
	storage := Storage(typ)
	if is(storage) {
		return true
	}
	nested, ok := storage.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return Any(f.Type, is) })
}

// IsNested reports whether values of a type consist of others.
func IsNested(typ arrow.DataType) bool {
	_, nested := Storage(typ).(arrow.NestedType)
	return nested
}

// ColumnNames returns the names of the columns.
func ColumnNames(schema *arrow.Schema) (names []string) {
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Label returns the position of a column as it is typed: #1 is the first.
func Label(column int) string { return "#" + strconv.Itoa(column+1) }

// Labelled returns a schema whose columns without a name are named by their position, for messages about them.
func Labelled(schema *arrow.Schema) *arrow.Schema {
	fields := slices.Clone(schema.Fields())
	for i := range fields {
		if fields[i].Name == "" {
			fields[i].Name = Label(i)
		}
	}
	meta := schema.Metadata()
	return arrow.NewSchemaWithEndian(fields, &meta, schema.Endianness())
}

// WithNames returns a table with the names of the columns of a schema, and without further columns. The caller releases
// it.
func WithNames(table arrow.Table, names *arrow.Schema) arrow.Table {
	fields := slices.Clone(table.Schema().Fields()[:names.NumFields()])
	columns := make([]arrow.Column, len(fields))
	for i := range fields {
		fields[i].Name = names.Field(i).Name
		columns[i] = *arrow.NewColumn(fields[i], table.Column(i).Data())
		defer columns[i].Release()
	}
	meta := table.Schema().Metadata()
	schema := arrow.NewSchemaWithEndian(fields, &meta, table.Schema().Endianness())
	return array.NewTable(schema, columns, table.NumRows())
}
