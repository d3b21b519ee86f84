package tablefile

import (
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow/go/v15/arrow"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// toTable18 is a table for pqarrow.
func toTable18(t testing.TB, table arrow.Table) arrow18.Table {
	schema := convert.ToSchema(table.Schema())
	columns := make([]arrow18.Column, table.NumCols())
	for i := range columns {
		data := convert.ToChunked(table.Column(i).Data(), schema.Field(i).Type)
		columns[i] = *arrow18.NewColumn(schema.Field(i), data)
	}
	return array18.NewTable(schema, columns, table.NumRows())
}

// toBatch18 is a record for pqarrow.
func toBatch18(rec arrow.Record, schema *arrow18.Schema) arrow18.RecordBatch {
	columns := make([]arrow18.Array, rec.NumCols())
	for i := range columns {
		columns[i] = convert.ToArray(rec.Column(i), schema.Field(i).Type)
	}
	return array18.NewRecordBatch(schema, columns, rec.NumRows())
}
