package tablefile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// chunkIndexes makes the index of all column chunks from their pages, every one of which it reads; nil when there are columns that only
// pqarrow reads.
func (f *parquetFile) chunkIndexes(ctx context.Context) ([]*pageIndex, error) {
	columns := len(f.fields)
	for i := range columns {
		if _, ok := f.direct(i); !ok || f.schema.Field(i).Type.ID() == arrow.DICTIONARY {
			return nil, nil
		}
	}
	indexes := make([]*pageIndex, columns*f.file.NumRowGroups())
	var scratch spares[*valueScratch]
	err := Each(ctx, len(indexes), f.opts.Threads, func(i int) (err error) {
		s := scratch.take()
		if s == nil {
			s = new(valueScratch)
		}
		defer scratch.give(s)
		if indexes[i], err = f.chunkIndex(i%columns, i/columns, s); err != nil {
			return corrupt("column %q of row group %d: %v", f.schema.Field(i%columns).Name, i/columns, err)
		}
		return nil
	})
	return indexes, err
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
