package parquet

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// newFileFields converts the columns of a file from those of pqarrow, with the types that they are to have in the
// table. origin is the schema that the writer of the file had, or nil; units are those of timestamps of 96 bits.
func newFileFields(manifest *pqarrow.SchemaManifest, origin *arrow.Schema, sc *schema.Schema,
	units map[int]arrow.TimeUnit) ([]reader.SchemaField, error) {
	converted, err := convert.FromSchema(arrow18.NewSchema(allFields(nil, manifest.Fields), nil))
	if err != nil {
		return nil, err
	}
	next := 0
	fields := convertFields(manifest.Fields, func() (f arrow.Field) {
		next++
		return converted.Field(next - 1)
	})
	for i := range fields {
		var from arrow.Field
		if origin != nil {
			from = origin.Field(i)
		}
		repair(&fields[i], from, sc, units)
	}
	return fields, nil
}

// allFields appends fields, each with those that it is made of after it.
func allFields(all []arrow18.Field, fields []pqarrow.SchemaField) []arrow18.Field {
	for i := range fields {
		f := *fields[i].Field
		f.Type = readAs(f.Type)
		all = allFields(append(all, f), fields[i].Children)
	}
	return all
}

// convertFields takes the fields in the order of allFields.
func convertFields(fields []pqarrow.SchemaField, next func() arrow.Field) []reader.SchemaField {
	converted := make([]reader.SchemaField, len(fields))
	for i, f := range fields {
		converted[i] = reader.SchemaField{Field: next(), LevelInfo: f.LevelInfo, ColIndex: f.ColIndex}
		converted[i].Children = convertFields(f.Children, next)
	}
	return converted
}

// readAs is the type that pqarrow reads a column as: not an extension type, which it makes of logical types such as
// UUID, nor durations, which it does not read, nor indices into a dictionary that may be too short for the entries of
// all row groups.
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

// leafFields are the leaf columns of a file by column number, as pqarrow is to read them.
func leafFields(manifest *pqarrow.SchemaManifest, columns int) ([]pqarrow.SchemaField, error) {
	leaves := make([]pqarrow.SchemaField, columns)
	for i := range leaves {
		leaf, ok := manifest.ColIndexToField[i]
		if !ok {
			return nil, fileerror.Corrupt("column %d is not in the schema", i)
		}
		leaves[i] = *leaf
		field := *leaf.Field
		field.Type = readAs(field.Type)
		leaves[i].Field = &field
	}
	return leaves, nil
}
