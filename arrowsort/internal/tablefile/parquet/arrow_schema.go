package parquet

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// repair gives a field, also those inside it, the types that Arrow C++ reads, where pqarrow has others. Fields
// without a field number carry none. origin is the field that the writer of the file had; its type is nil when it is
// not known.
func repair(f *reader.SchemaField, origin arrow.Field, sc *schema.Schema, units map[int]arrow.TimeUnit) {
	f.Field.Metadata = withoutFieldID(withOrigin(f.Field.Metadata, origin.Metadata))
	ext, extended := origin.Type.(arrow.ExtensionType)
	if extended {
		origin.Type = ext.StorageType()
	}
	if f.IsLeaf() {
		if unit, ok := units[f.ColIndex]; ok {
			f.Field.Type = &arrow.TimestampType{Unit: unit}
		}
		f.Field.Type = leafType(f.Field.Type, origin.Type, sc.Column(f.ColIndex))
	} else {
		for i := range f.Children {
			child := childOf(origin.Type, i, len(f.Children))
			if _, list := origin.Type.(arrow.ListLikeType); list {
				f.Children[i].Field.Name = child.Name // else that of Parquet's own field
			}
			repair(&f.Children[i], child, sc, units)
			if isRepeatedGroup(f, &f.Children[i]) {
				f.Children[i].Field.Nullable = false
			}
		}
		fields := make([]arrow.Field, len(f.Children))
		for i, child := range f.Children {
			fields[i] = child.Field
		}
		f.Field.Type = arraydata.WithFields(f.Field.Type.(arrow.NestedType), fields)
		if from, ok := origin.Type.(*arrow.MapType); ok && f.Field.Type.ID() == arrow.MAP {
			f.Field.Type.(*arrow.MapType).KeysSorted = from.KeysSorted
		}
	}
	if extended && arrow.TypeEqual(ext.StorageType(), f.Field.Type) {
		f.Field.Type = ext
	}
}

// isRepeatedGroup reports whether the elements of a list are the repeated group itself, as in lists of two levels and
// repeated fields without a list: no level says that one is null, where pqarrow takes them for nullable.
func isRepeatedGroup(list, element *reader.SchemaField) bool {
	return list.Field.Type.ID() == arrow.LIST && element.Field.Type.ID() == arrow.STRUCT &&
		element.LevelInfo.DefLevel == list.LevelInfo.DefLevel
}

// withOrigin adds the metadata that a field had, but for a field number that the file names too.
func withOrigin(meta, origin arrow.Metadata) arrow.Metadata {
	keys, values := slices.Clone(origin.Keys()), slices.Clone(origin.Values())
	for i, key := range meta.Keys() {
		if at := origin.FindKey(key); at >= 0 {
			values[at] = meta.Values()[i]
		} else {
			keys, values = append(keys, key), append(values, meta.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// childOf is a child of a nested type, without a type when the nested type has another number of children.
func childOf(typ arrow.DataType, i, children int) arrow.Field {
	switch t := typ.(type) {
	case *arrow.StructType:
		if t.NumFields() == children {
			return t.Field(i)
		}
	case arrow.ListLikeType:
		return t.ElemField()
	}
	return arrow.Field{}
}

// leafType returns the type of a leaf column: pqarrow's, except for timestamps that the writer's Arrow schema has with
// another zone, as Arrow Go wrote them before v18; for JSON, which is text; and for durations, which only the writer's
// Arrow schema distinguishes from numbers.
func leafType(typ, origin arrow.DataType, column *schema.Column) arrow.DataType {
	logical := column.LogicalType()
	switch t := typ.(type) {
	case *arrow.TimestampType:
		if from, ok := origin.(*arrow.TimestampType); ok {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: from.TimeZone}
		}
		ts, ok := logical.(schema.TimestampLogicalType)
		if ok && !ts.IsAdjustedToUTC() {
			return &arrow.TimestampType{Unit: t.Unit}
		}
	case *arrow.Int64Type:
		if d, ok := origin.(*arrow.DurationType); ok && column.PhysicalType() == parquet.Types.Int64 {
			return d
		}
	case *arrow.DictionaryType:
		values := leafType(t.ValueType, nil, column)
		return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: values, Ordered: t.Ordered}
	case *arrow.BinaryType:
		if logical.Equals(schema.JSONLogicalType{}) {
			return arrow.BinaryTypes.String
		}
	case *arrow.LargeBinaryType:
		if logical.Equals(schema.JSONLogicalType{}) {
			return arrow.BinaryTypes.LargeString
		}
	}
	return typ
}

// arrowSchema is the table's schema. Its metadata is the file's, but for the Arrow schema among it.
func arrowSchema(all []reader.SchemaField, origin *arrow.Schema, pairs metadata.KeyValueMetadata) *arrow.Schema {
	fields := make([]arrow.Field, len(all))
	for i := range fields {
		fields[i] = all[i].Field
	}
	var keys, values []string
	if origin != nil {
		meta := origin.Metadata()
		keys, values = append(keys, meta.Keys()...), append(values, meta.Values()...)
	}
	own := arrow.NewMetadata(keys, values)
	for _, pair := range pairs {
		if pair.Key != writer.ArrowSchemaKey && own.FindKey(pair.Key) < 0 {
			keys, values = append(keys, pair.Key), append(values, pair.GetValue())
		}
	}
	meta := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &meta)
}
