package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// writeFlat writes rows of a column that is not nested. Its definition levels are made here: those that pqarrow makes
// for a column without nulls send the column through a slow path, which is wrong for dictionaries besides.
func (e *columnEncoder) writeFlat(out io.Writer, field arrow.Field, data *arrow.Chunked, first, n int64) error {
	rows := array.NewChunkedSlice(data, first, first+n)
	defer rows.Release()
	chunks, props, err := e.prepare(field, rows)
	if err != nil {
		return err
	}
	defer releaseAll(chunks)
	sc, err := pqarrow.ToParquet(arrow.NewSchema([]arrow.Field{field}, nil), props, e.arrowProps)
	if err != nil {
		return err
	}
	w := file.NewParquetWriter(out, sc.Root(), file.WithWriterProps(props))
	group := w.AppendRowGroup()
	column, err := group.NextColumn()
	if err != nil {
		return err
	}
	ctx := pqarrow.NewArrowWriteContext(context.Background(), &e.arrowProps)
	for _, chunk := range chunks {
		if d, ok := chunk.(*array.Dictionary); ok && len(chunks) == 1 {
			err = e.writeIndices(ctx, column, d, e.levels(field, d), field.Nullable)
		} else {
			err = pqarrow.WriteArrowToColumn(ctx, column, chunk, e.levels(field, chunk), nil, field.Nullable)
		}
		if err != nil {
			return err
		}
	}
	if err := group.Close(); err != nil {
		return err
	}
	return w.Close()
}

// prepare makes of the rows of a column what is best written: a dictionary of integers, or integers without a dictionary
// when they are too many; text instead of a dictionary that has null as an entry. The caller releases the chunks.
func (e *columnEncoder) prepare(field arrow.Field, rows *arrow.Chunked) ([]arrow.Array, *parquet.WriterProperties, error) {
	chunks := rows.Chunks()
	if len(chunks) == 1 && storesRawInteger(field.Type) && e.props.DictionaryEnabledFor(field.Name) {
		if dictionary := integerDictionary(chunks[0], e.opts.Allocator); dictionary != nil {
			return []arrow.Array{dictionary}, e.props, nil
		}
		chunks[0].Retain()
		return chunks, e.plain, nil
	}
	if d, ok := chunks[0].(*array.Dictionary); ok && d.Dictionary().NullN() > 0 {
		rows, err := expand(rows, d.DataType().(*arrow.DictionaryType).ValueType, e.opts.Allocator)
		if err != nil {
			return nil, nil, err
		}
		defer rows.Release()
		chunks = rows.Chunks()
	}
	for _, c := range chunks {
		c.Retain()
	}
	return chunks, e.props, nil
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
