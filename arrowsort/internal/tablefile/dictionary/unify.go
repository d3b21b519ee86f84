// Package dictionary gives the chunks of columns the same dictionaries.
package dictionary

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Unify gives all chunks of a column the same dictionary, at every level of its type, so that equal indices mean equal
// values. The caller releases the table.
func Unify(ctx context.Context, mem memory.Allocator, table arrow.Table) (arrow.Table, error) {
	columns := make([]arrow.Column, 0, table.NumCols())
	defer func() {
		for i := range columns {
			columns[i].Release()
		}
	}()
	for i, field := range table.Schema().Fields() {
		column := table.Column(i).Data()
		chunks, err := take.Unify(ctx, column.DataType(), column.Chunks(), take.Options{Allocator: mem})
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", field.Name, err)
		}
		unified := arrow.NewChunked(column.DataType(), chunks)
		arraydata.Release(chunks)
		columns = append(columns, *arrow.NewColumn(field, unified))
		unified.Release()
	}
	return array.NewTable(table.Schema(), columns, table.NumRows()), nil
}
