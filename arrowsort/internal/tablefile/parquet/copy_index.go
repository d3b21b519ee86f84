package parquet

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/arrowsort/internal/workers"
)

// chunkIndexes makes the index of column chunks from their pages, row group by row group, and nil for the leaf columns
// that only pqarrow reads. It reads every page.
func (f *File) chunkIndexes(ctx context.Context) ([]*page.Index, error) {
	columns := f.Layout.meta.Schema.NumColumns()
	fields := f.Decoded()
	indexes := make([]*page.Index, columns*len(f.Layout.meta.RowGroups))
	var scratch workers.Spares[*writer.Scratch]
	err := workers.Each(ctx, len(indexes), f.threads, func(i int) (err error) {
		leaf, group := i%columns, i/columns
		field, ok := fields[leaf]
		if !ok {
			return f.Verify(group, leaf)
		}
		s := scratch.Take()
		if s == nil {
			s = new(writer.Scratch)
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
func (f *File) chunkIndex(field, leaf, group int, s *writer.Scratch) (*page.Index, error) {
	x := &page.Index{Column: f.Layout.meta.Schema.Column(leaf)}
	row := 0
	err := f.EachPage(field, group, func(a arrow.Array, at int64, size int) {
		bounds := writer.Bounds(f.Schema().Field(field), x.Column, a, s)
		x.Entries = append(x.Entries, page.IndexEntry{At: at, Size: size, Row: row, Bounds: bounds})
		row += a.Len()
	})
	return x, err
}
