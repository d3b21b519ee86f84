package arraydata

import "github.com/apache/arrow/go/v15/arrow"

// Pick is a schema with some of its columns; all when columns is nil.
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

// WithTypes is a schema with other types.
func WithTypes(sc *arrow.Schema, of func(arrow.DataType) arrow.DataType) *arrow.Schema {
	fields := append([]arrow.Field(nil), sc.Fields()...)
	for i := range fields {
		fields[i].Type = of(fields[i].Type)
	}
	meta := sc.Metadata()
	return arrow.NewSchema(fields, &meta)
}
