package tablefile

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Label is the position of a column as it is typed: #1 is the first.
func Label(column int) string { return "#" + strconv.Itoa(column+1) }

// Labelled is a schema whose columns without a name are named by their position, for messages about them.
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

// WithNames is a table with the names of the columns of a schema, and without further columns. The caller releases it.
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
