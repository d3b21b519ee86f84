package arrow18

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	_ "github.com/apache/arrow-go/v18/arrow/extensions" // registers them
	"github.com/apache/arrow-go/v18/arrow/ipc"
	v15 "github.com/apache/arrow/go/v15/arrow"
	ipc15 "github.com/apache/arrow/go/v15/arrow/ipc"
)

// ToSchema converts a schema to v18, with the storage types of extension types: their names and parameters are in the
// metadata of the fields, as in an IPC message, whatever v18 has registered under these names. The extension types of
// the values of dictionaries and runs have no field, and get lost. Types of FromLayout become what they stand for.
func ToSchema(sc *v15.Schema) *arrow.Schema { return toSchema(sc, func(*arrow.Field) {}) }

// ToParquetSchema is ToSchema with the extension types for which Parquet has a logical type, where v18 takes what they
// are stored as.
func ToParquetSchema(sc *v15.Schema) *arrow.Schema {
	return toSchema(sc, func(f *arrow.Field) {
		name, _ := f.Metadata.GetValue(ipc.ExtensionTypeKeyName)
		switch name {
		case "arrow.uuid", "arrow.json", "arrow.parquet.variant", "parquet.variant":
			parameters, _ := f.Metadata.GetValue(ipc.ExtensionMetadataKeyName)
			if typ, err := arrow.GetExtensionType(name).Deserialize(f.Type, parameters); err == nil {
				f.Type = typ
			}
		}
	})
}

// ToLayout is ToSchema without the metadata of fields.
func ToLayout(sc *v15.Schema) *arrow.Schema {
	return toSchema(sc, func(f *arrow.Field) { f.Metadata = arrow.Metadata{} })
}

// toSchema converts a schema, each field after those that are inside it.
func toSchema(sc *v15.Schema, finish converter) *arrow.Schema {
	meta := metadata(sc.Metadata())
	return arrow.NewSchema(finish.fields(sc.Fields()), &meta)
}

// A converter completes a field that was converted to its storage type.
type converter func(f *arrow.Field)

func metadata(m v15.Metadata) arrow.Metadata { return arrow.NewMetadata(m.Keys(), m.Values()) }

func (finish converter) fields(fields []v15.Field) []arrow.Field {
	converted := make([]arrow.Field, len(fields))
	for i, f := range fields {
		converted[i] = finish.field(f)
	}
	return converted
}

func (finish converter) field(f v15.Field) arrow.Field {
	meta := f.Metadata
	if ext, ok := f.Type.(v15.ExtensionType); ok && !isStandIn(ext) {
		keys := append(slices.Clone(meta.Keys()), ipc15.ExtensionTypeKeyName, ipc15.ExtensionMetadataKeyName)
		meta = v15.NewMetadata(keys, append(slices.Clone(meta.Values()), ext.ExtensionName(), ext.Serialize()))
	}
	to := arrow.Field{Name: f.Name, Type: finish.storage(f.Type), Nullable: f.Nullable, Metadata: metadata(meta)}
	finish(&to)
	return to
}

func (finish converter) storage(typ v15.DataType) arrow.DataType {
	if t, ok := typ.(*standInType); ok {
		return t.of
	}
	switch t := storage15(typ).(type) {
	case *v15.ListType:
		return arrow.ListOfField(finish.field(t.ElemField()))
	case *v15.LargeListType:
		return arrow.LargeListOfField(finish.field(t.ElemField()))
	case *v15.ListViewType:
		return arrow.ListViewOfField(finish.field(t.ElemField()))
	case *v15.LargeListViewType:
		return arrow.LargeListViewOfField(finish.field(t.ElemField()))
	case *v15.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), finish.field(t.ElemField()))
	case *v15.StructType:
		return arrow.StructOf(finish.fields(t.Fields())...)
	case *v15.MapType:
		m := arrow.MapOfFields(finish.field(t.KeyField()), finish.field(t.ItemField()))
		m.KeysSorted = t.KeysSorted
		return m
	case *v15.SparseUnionType:
		return arrow.SparseUnionOf(finish.fields(t.Fields()), t.TypeCodes())
	case *v15.DenseUnionType:
		return arrow.DenseUnionOf(finish.fields(t.Fields()), t.TypeCodes())
	case *v15.DictionaryType:
		return &arrow.DictionaryType{IndexType: finish.storage(t.IndexType), ValueType: finish.storage(t.ValueType),
			Ordered: t.Ordered}
	case *v15.RunEndEncodedType:
		r := arrow.RunEndEncodedOf(finish.storage(t.RunEnds()), finish.storage(t.Encoded()))
		r.ValueNullable = t.ValueNullable
		return r
	case *v15.FixedSizeBinaryType:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.ByteWidth}
	case *v15.TimestampType:
		return &arrow.TimestampType{Unit: arrow.TimeUnit(t.Unit), TimeZone: t.TimeZone}
	case *v15.Time32Type:
		return &arrow.Time32Type{Unit: arrow.TimeUnit(t.Unit)}
	case *v15.Time64Type:
		return &arrow.Time64Type{Unit: arrow.TimeUnit(t.Unit)}
	case *v15.DurationType:
		return &arrow.DurationType{Unit: arrow.TimeUnit(t.Unit)}
	case *v15.Decimal128Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case *v15.Decimal256Type:
		return &arrow.Decimal256Type{Precision: t.Precision, Scale: t.Scale}
	default:
		return simpleTypes[t.ID()]
	}
}
