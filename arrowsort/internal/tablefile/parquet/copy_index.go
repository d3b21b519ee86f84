package tablefile

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/workers"
)

// chunkIndexes makes the index of column chunks from their pages, row group by row group, and nil for the leaf columns
// that only pqarrow reads. It reads every page.
func (f *parquetInput) chunkIndexes(ctx context.Context) ([]*pageIndex, error) {
	columns := f.Layout.meta.Schema.NumColumns()
	fields := f.decoded()
	indexes := make([]*pageIndex, columns*len(f.Layout.meta.RowGroups))
	var scratch workers.Spares[*valueScratch]
	err := workers.Each(ctx, len(indexes), f.threads, func(i int) (err error) {
		leaf, group := i%columns, i/columns
		field, ok := fields[leaf]
		if !ok {
			return f.verify(group, leaf)
		}
		s := scratch.Take()
		if s == nil {
			s = new(valueScratch)
		}
		defer scratch.Give(s)
		if indexes[i], err = f.chunkIndex(field, leaf, group, s); err != nil {
			return fmt.Errorf("column %q of row group %d: %w", f.Schema().Field(field).Name, group, err)
		}
		return nil
	})
	return indexes, err
}

// chunkIndex reads the pages of a column chunk.
func (f *parquetInput) chunkIndex(field, leaf, group int, s *valueScratch) (*pageIndex, error) {
	x := &pageIndex{column: f.Layout.meta.Schema.Column(leaf)}
	row := 0
	err := f.eachPage(field, group, func(a arrow.Array, at int64, size int) {
		bounds := boundsOf(f.Schema().Field(field), x.column, a, s)
		x.pages = append(x.pages, indexedPage{at: at, size: size, row: row, pageBounds: bounds})
		row += a.Len()
	})
	return x, err
}
