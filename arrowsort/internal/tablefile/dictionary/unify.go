// Package dictionary gives the chunks of columns the same dictionaries.
package dictionary

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Unify gives all chunks of a column the same dictionary, at every level of its type, so that equal indices mean equal
// values. The caller releases the table.
func Unify(ctx context.Context, mem memory.Allocator, table arrow.Table) (arrow.Table, error) {
	return arraydata.NewTable(table.Schema(), table.NumRows(), func(i int) (*arrow.Chunked, error) {
		column := table.Column(i).Data()
		chunks, err := take.Unify(ctx, column.DataType(), column.Chunks(), take.Options{Allocator: mem})
		if err != nil {
			return nil, err
		}
		defer arraydata.Release(chunks)
		return arrow.NewChunked(column.DataType(), chunks), nil
	})
}
