package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// encodeFlat encodes rows of a column that is not nested: by a flatEncoder, or with pqarrow what that does not write.
func (e *columnEncoder) encodeFlat(field arrow.Field, rows *arrow.Chunked) (piece, error) {
	sc, err := pqarrow.ToParquet(arrow.NewSchema([]arrow.Field{field}, nil), e.props, e.arrowProps)
	if err != nil {
		return piece{}, err
	}
	if len(rows.Chunks()) == 1 {
		w := e.encoders.take()
		if w == nil {
			w = new(flatEncoder)
		}
		defer e.encoders.give(w)
		if v := e.newFlatValues(field, sc.Column(0), rows.Chunk(0), &w.valueScratch); v != nil {
			return w.encode(e.files.take()[:0], v, field, sc, e)
		}
	}
	return e.encodeWith(func(out io.Writer) error { return e.writeFlat(out, field, rows) })
}

// writeFlat writes rows with pqarrow. Their definition levels are made here: those that pqarrow makes for a column without
// nulls send the column through a slow path, which is wrong for dictionaries besides.
func (e *columnEncoder) writeFlat(out io.Writer, field arrow.Field, rows *arrow.Chunked) error {
	rows, err := e.prepare(field, rows)
	if err != nil {
		return err
	}
	defer rows.Release()
	sc, err := pqarrow.ToParquet(arrow.NewSchema([]arrow.Field{field}, nil), e.props, e.arrowProps)
	if err != nil {
		return err
	}
	w := file.NewParquetWriter(out, sc.Root(), file.WithWriterProps(e.props))
	group := w.AppendRowGroup()
	column, err := group.NextColumn()
	if err != nil {
		return err
	}
	ctx := pqarrow.NewArrowWriteContext(context.Background(), &e.arrowProps)
	pages, _ := pagesOf(rows, e.pageRows())
	defer pages.Release()
	for _, chunk := range pages.Chunks() {
		if err := pqarrow.WriteArrowToColumn(ctx, column, chunk, e.levels(field, chunk), nil, field.Nullable); err != nil {
			return err
		}
	}
	if err := group.Close(); err != nil {
		return err
	}
	return w.Close()
}

// prepare makes text of a dictionary of text, of which pqarrow skips empty strings and null entries. The caller releases the
// rows.
func (e *columnEncoder) prepare(field arrow.Field, rows *arrow.Chunked) (*arrow.Chunked, error) {
	if typ, ok := field.Type.(*arrow.DictionaryType); ok {
		if id := typ.ValueType.ID(); id == arrow.STRING || id == arrow.BINARY {
			return expand(rows, typ.ValueType, e.opts.Allocator)
		}
	}
	rows.Retain()
	return rows, nil
}

// levels are the definition levels of the rows: 1 for a value, 0 for null; none for a column that cannot be null.
func (e *columnEncoder) levels(field arrow.Field, a arrow.Array) []int16 {
	if !field.Nullable {
		return nil
	}
	if a.NullN() == 0 {
		return e.present[:a.Len()]
	}
	levels := make([]int16, a.Len())
	if a.DataType().ID() == arrow.NULL {
		return levels
	}
	bits, offset := a.NullBitmapBytes(), a.Data().Offset()
	for i := range levels {
		if bitutil.BitIsSet(bits, offset+i) {
			levels[i] = 1
		}
	}
	return levels
}
