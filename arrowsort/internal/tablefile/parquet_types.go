package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// repairTypes gives the fields of a file, also those inside others, the types that Arrow C++ reads, where pqarrow has
// others. Fields without a field number carry none.
func repairTypes(manifest *pqarrow.SchemaManifest, sc *schema.Schema) {
	for i := range manifest.Fields {
		var origin arrow.DataType
		if manifest.OriginSchema != nil {
			origin = manifest.OriginSchema.Field(i).Type
		}
		repairField(&manifest.Fields[i], origin, sc)
	}
}

// repairField repairs a field; origin is the type that the writer of the file had, nil when it is not known.
func repairField(f *pqarrow.SchemaField, origin arrow.DataType, sc *schema.Schema) {
	field := *f.Field
	field.Metadata = withoutFieldID(field.Metadata)
	if ext, ok := origin.(arrow.ExtensionType); ok {
		origin = ext.StorageType()
	}
	if _, ok := field.Type.(arrow.ExtensionType); !ok && isLeaf(f) {
		field.Type = leafType(field.Type, origin, sc.Column(f.ColIndex))
	} else if !ok {
		for i := range f.Children {
			repairField(&f.Children[i], childOf(origin, i, len(f.Children)), sc)
		}
		field.Type = nestedType(field.Type, f.Children)
	}
	f.Field = &field
}

// childOf is the type of a child of a nested type, or nil when the type does not have so many.
func childOf(typ arrow.DataType, i, children int) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StructType:
		if t.NumFields() == children {
			return t.Field(i).Type
		}
	case arrow.ListLikeType:
		return t.Elem()
	}
	return nil
}

// leafType is the type of a leaf column: pqarrow's but for timestamps, of which it takes all for UTC, for JSON, which is
// text, and for durations, for which Parquet has no type and which only the writer's Arrow schema tells from numbers.
func leafType(typ, origin arrow.DataType, column *schema.Column) arrow.DataType {
	logical := column.LogicalType()
	switch t := typ.(type) {
	case *arrow.TimestampType:
		if from, ok := origin.(*arrow.TimestampType); ok {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: from.TimeZone}
		}
		ts, ok := logical.(*schema.TimestampLogicalType)
		if column.PhysicalType() == parquet.Types.Int96 || ok && !ts.IsAdjustedToUTC() {
			return &arrow.TimestampType{Unit: t.Unit}
		}
	case *arrow.Int64Type:
		if d, ok := origin.(*arrow.DurationType); ok && column.PhysicalType() == parquet.Types.Int64 {
			return d
		}
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

// nestedType is a nested type with other children.
func nestedType(typ arrow.DataType, children []pqarrow.SchemaField) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, len(children))
		for i := range fields {
			fields[i] = *children[i].Field
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		entry := children[0].Field.Type.(*arrow.StructType)
		m := arrow.MapOf(entry.Field(0).Type, entry.Field(1).Type)
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	case *arrow.ListType:
		elem := t.ElemField()
		elem.Type = children[0].Field.Type
		return arrow.ListOfField(elem)
	case *arrow.FixedSizeListType:
		elem := t.ElemField()
		elem.Type = children[0].Field.Type
		return arrow.FixedSizeListOfField(t.Len(), elem)
	}
	return typ
}

// arrowSchema is the table's schema. Its metadata is the file's, but for the Arrow schema among it.
func arrowSchema(manifest *pqarrow.SchemaManifest, pairs metadata.KeyValueMetadata) *arrow.Schema {
	fields := make([]arrow.Field, len(manifest.Fields))
	for i := range fields {
		fields[i] = *manifest.Fields[i].Field
	}
	var keys, values []string
	if manifest.OriginSchema != nil {
		meta := manifest.OriginSchema.Metadata()
		keys, values = append(keys, meta.Keys()...), append(values, meta.Values()...)
	}
	own := arrow.NewMetadata(keys, values)
	for _, pair := range pairs {
		if pair.Key != arrowSchemaKey && own.FindKey(pair.Key) < 0 {
			keys, values = append(keys, pair.Key), append(values, pair.GetValue())
		}
	}
	meta := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &meta)
}

// readAs is the type with which pqarrow reads a leaf column whose values are to have a type of the same layout.
func readAs(typ arrow.DataType) arrow.DataType {
	if typ.ID() == arrow.DURATION {
		return arrow.PrimitiveTypes.Int64
	}
	return typ
}
