package tablefile

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
)

// chunkIndexes makes the index of column chunks from their pages, row group by row group, and nil for the leaf columns
// that only pqarrow reads. It reads every page.
func (f *parquetFile) chunkIndexes(ctx context.Context) ([]*pageIndex, error) {
	columns := f.file.MetaData().Schema.NumColumns()
	fields := make(map[int]int) // by leaf column, of those that are read here
	for i := range f.fields {
		if f.indexes(i) {
			fields[f.fields[i].ColIndex] = i
		}
	}
	indexes := make([]*pageIndex, columns*f.file.NumRowGroups())
	var scratch spares[*valueScratch]
	err := Each(ctx, len(indexes), f.opts.Threads, func(i int) (err error) {
		leaf, group := i%columns, i/columns
		field, ok := fields[leaf]
		if !ok {
			return f.verify(group, leaf)
		}
		s := scratch.take()
		if s == nil {
			s = new(valueScratch)
		}
		defer scratch.give(s)
		if indexes[i], err = f.chunkIndex(field, group, s); err != nil {
			return fmt.Errorf("column %q of row group %d: %w", f.schema.Field(field).Name, group, err)
		}
		return nil
	})
	return indexes, err
}

// indexes says whether the index of a field can be made here.
func (f *parquetFile) indexes(field int) bool {
	_, ok := f.direct(field)
	return ok && f.schema.Field(field).Type.ID() != arrow.DICTIONARY
}

// chunkIndex reads the pages of a column chunk.
func (f *parquetFile) chunkIndex(field, group int, s *valueScratch) (*pageIndex, error) {
	pieces, err := f.openPieces(field, group)
	if err != nil {
		return nil, err
	}
	defer pieces.release()
	x := &pageIndex{column: f.file.MetaData().Schema.Column(f.fields[field].ColIndex)}
	chunk := pieces.chunk()
	for row, rows := 0, int(f.file.MetaData().RowGroups[group].NumRows); row < rows; {
		n, err := chunk.span(rows-row, pieces.keep())
		if err != nil {
			return nil, err
		}
		if n != chunk.left {
			return nil, corrupt("a page has %d rows, of which %d belong to the row group", chunk.left, n)
		}
		page := indexedPage{at: chunk.pages.start, size: int(chunk.pages.offset() - chunk.pages.start), row: row}
		a, err := pieces.direct(n)
		if err != nil {
			return nil, err
		}
		page.pageBounds = boundsOf(f.schema.Field(field), x.column, a, s)
		a.Release()
		x.pages = append(x.pages, page)
		row += n
	}
	return x, nil
}

// boundsOf are the bounds of all values of an array.
func boundsOf(field arrow.Field, column *schema.Column, a arrow.Array, s *valueScratch) pageBounds {
	if v := newValues(field, column, a, false, s); v != nil && valueOrder(column) != nil {
		return v.pageBounds(0, a.Len(), a.NullN())
	}
	return pageBounds{nulls: int64(a.NullN()), empty: a.NullN() == a.Len(), unknown: a.NullN() < a.Len()}
}
