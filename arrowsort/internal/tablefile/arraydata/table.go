package arraydata

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// NewTable makes a table of the columns that column makes and gives away, with a number of rows; less than 0: that of
// the columns. The caller releases it.
func NewTable(schema *arrow.Schema, rows int64, column func(i int) (*arrow.Chunked, error)) (arrow.Table, error) {
	columns := make([]arrow.Column, schema.NumFields())
	for i, f := range schema.Fields() {
		data, err := column(i)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		columns[i] = *arrow.NewColumn(f, data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewTable(schema, columns, rows), nil
}
