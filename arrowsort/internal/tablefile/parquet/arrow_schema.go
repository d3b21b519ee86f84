package parquet

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

func withoutFieldID(meta arrow.Metadata) arrow.Metadata {
	if i := meta.FindKey(ipc.FieldIDKey); i < 0 || meta.Values()[i] != "-1" {
		return meta
	}
	var keys, values []string
	for i, k := range meta.Keys() {
		if k != ipc.FieldIDKey {
			keys, values = append(keys, k), append(values, meta.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// arrowSchemaOfWriter returns the Arrow schema that a writer left in the file's metadata, a stream of one message in
// base64 with or without padding; nil for none, or one of another number of columns.
func arrowSchemaOfWriter(pairs metadata.KeyValueMetadata, columns int, mem memory.Allocator) (*arrow.Schema, error) {
	encoded := pairs.FindValue(writer.ArrowSchemaKey)
	if encoded == nil {
		return nil, nil
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*encoded, "="))
	if err != nil {
		return nil, errkind.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	r, err := ipc.OpenStream(bytes.NewReader(b), int64(len(b)), mem)
	if errors.Is(err, errkind.ErrUnsupported) {
		return nil, err
	} else if err != nil {
		return nil, errkind.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	defer r.Release()
	if r.Schema().NumFields() != columns {
		return nil, nil
	}
	return r.Schema(), nil
}

// selectArrowSchema returns the metadata of a file with some of the columns of another: an Arrow schema in them is that
// of these.
func selectArrowSchema(pairs metadata.KeyValueMetadata, columns []int, of int) (metadata.KeyValueMetadata, error) {
	origin, err := arrowSchemaOfWriter(pairs, of, memory.DefaultAllocator)
	if err != nil || origin == nil {
		return pairs, err
	}
	encoded, err := writer.EncodeSchema(convert.ToSchema(arraydata.Pick(origin, columns)))
	return withArrowSchema(pairs, &encoded), err
}

// withWideIndices returns the metadata of a file of some columns with an Arrow schema, if there is one, of WideIndices.
func withWideIndices(pairs metadata.KeyValueMetadata, columns int) (metadata.KeyValueMetadata, error) {
	origin, err := arrowSchemaOfWriter(pairs, columns, memory.DefaultAllocator)
	if err != nil || origin == nil {
		return pairs, err
	}
	wide := arraydata.WithTypes(origin, writer.WideIndices)
	if wide.Equal(origin) {
		return pairs, nil
	}
	encoded, err := writer.EncodeSchema(convert.ToSchema(wide))
	return withArrowSchema(pairs, &encoded), err
}

// withArrowSchema returns pairs whose Arrow schema, if there is one, is another.
func withArrowSchema(pairs metadata.KeyValueMetadata, encoded *string) metadata.KeyValueMetadata {
	pairs = slices.Clone(pairs)
	for i, pair := range pairs {
		if pair.Key == writer.ArrowSchemaKey {
			replaced := *pair
			replaced.Value = encoded
			pairs[i] = &replaced
		}
	}
	return pairs
}

// readableSchema makes the variants of a schema plain groups, which they are read as: pqarrow refuses some that are
// shredded, such as those with optional groups. Maps whose keys are optional, as old Presto wrote them, become lists of
// keys and values.
func readableSchema(meta *metadata.FileMetaData) error {
	elements, changes := slices.Clone(meta.FileMetaData.Schema), 0
	for i, e := range elements {
		changed := *e
		switch logical := e.LogicalType; {
		case logical != nil && logical.IsSetVARIANT():
			changed.LogicalType = nil
		case (logical != nil && logical.IsSetMAP() || e.ConvertedType != nil &&
			int(*e.ConvertedType) == int(schema.ConvertedTypes.Map)) && i+2 < len(elements) &&
			elements[i+2].GetNumChildren() == 0 &&
			int(elements[i+2].GetRepetitionType()) == int(parquet.Repetitions.Optional):
			changed.LogicalType = nil
			setNumber(&changed.ConvertedType, int64(schema.ConvertedTypes.List))
		default:
			continue
		}
		elements[i] = &changed
		changes++
	}
	if changes == 0 {
		return nil
	}
	root, err := schema.FromParquet(elements)
	if err != nil {
		return errkind.Corrupt("%v", err)
	}
	meta.Schema = schema.NewSchema(root.(*schema.GroupNode))
	return nil
}

// openLeaves opens a file with pqarrow, which finds the types of the origin in its metadata, but no extension types: it
// refuses some. All metadata of the fields come from the origin itself.
func openLeaves(r *file.Reader, origin *arrow.Schema, mem memory.Allocator) (*pqarrow.FileReader, error) {
	meta := r.MetaData()
	pairs, whole := meta.FileMetaData.KeyValueMetadata, meta.Schema
	defer func() { meta.FileMetaData.KeyValueMetadata, meta.Schema = pairs, whole }()
	if err := readableSchema(meta); err != nil {
		return nil, err
	}
	var only metadata.KeyValueMetadata
	if origin != nil {
		encoded, err := writer.EncodeSchema(convert.ToLayout(origin))
		if err != nil {
			return nil, err
		}
		if err := only.Append(writer.ArrowSchemaKey, encoded); err != nil {
			return nil, err
		}
	}
	meta.FileMetaData.KeyValueMetadata = only
	return pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, mem)
}

// restoreTypes sets the Arrow types that Arrow C++ reads, where pqarrow reads different ones, also in nested fields.
// Fields without a field number carry none. origin is the field of the schema that the writer left in the file; its
// type is nil if there is none.
func restoreTypes(f *reader.SchemaField, origin arrow.Field, sc *schema.Schema, units map[int]arrow.TimeUnit) {
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
			restoreTypes(&f.Children[i], child, sc, units)
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

// childOf returns a child of a nested type, without a type when the nested type has another number of children.
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

// arrowSchema returns the table's schema. Its metadata is the file's, but for the Arrow schema among it.
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

// newFileFields converts the columns of a file from those of pqarrow, with the types that they are to have in the
// table. origin is the schema that the writer of the file had, or nil; units are those of timestamps of 96 bits.
func newFileFields(manifest *pqarrow.SchemaManifest, origin *arrow.Schema, sc *schema.Schema,
	units map[int]arrow.TimeUnit) ([]reader.SchemaField, error) {
	fields, err := convertFields(manifest.Fields)
	if err != nil {
		return nil, err
	}
	for i := range fields {
		var from arrow.Field
		if origin != nil {
			from = origin.Field(i)
		}
		restoreTypes(&fields[i], from, sc, units)
	}
	return fields, nil
}

// convertFields converts fields and those inside them. The types of nested ones are those of all of these.
func convertFields(fields []pqarrow.SchemaField) (_ []reader.SchemaField, err error) {
	converted := make([]reader.SchemaField, len(fields))
	for i, f := range fields {
		meta := arrow.NewMetadata(f.Field.Metadata.Keys(), f.Field.Metadata.Values())
		c := reader.SchemaField{LevelInfo: f.LevelInfo, ColIndex: f.ColIndex,
			Field: arrow.Field{Name: f.Field.Name, Nullable: f.Field.Nullable, Metadata: meta}}
		if c.Field.Type, err = convert.FromLayout(readAs(f.Field.Type)); err != nil {
			return nil, err
		}
		if c.Children, err = convertFields(f.Children); err != nil {
			return nil, err
		}
		converted[i] = c
	}
	return converted, nil
}

// readAs returns the type that pqarrow reads a column as: not an extension type, which it makes of logical types such
// as UUID, nor durations, which it does not read, nor indices into a dictionary that may be too short for the entries
// of all row groups.
func readAs(typ arrow18.DataType) arrow18.DataType {
	switch t := typ.(type) {
	case arrow18.ExtensionType:
		return readAs(t.StorageType())
	case *arrow18.DurationType:
		return arrow18.PrimitiveTypes.Int64
	case *arrow18.DictionaryType:
		index := arrow18.PrimitiveTypes.Int32
		return &arrow18.DictionaryType{IndexType: index, ValueType: t.ValueType, Ordered: t.Ordered}
	}
	return typ
}

// leafFields returns the leaf columns of a file by column number, as pqarrow is to read them.
func leafFields(manifest *pqarrow.SchemaManifest, columns int) ([]pqarrow.SchemaField, error) {
	leaves := make([]pqarrow.SchemaField, columns)
	for i := range leaves {
		leaf, ok := manifest.ColIndexToField[i]
		if !ok {
			return nil, errkind.Corrupt("column %d is not in the schema", i)
		}
		leaves[i] = *leaf
		field := *leaf.Field
		field.Type = readAs(field.Type)
		leaves[i].Field = &field
	}
	return leaves, nil
}
