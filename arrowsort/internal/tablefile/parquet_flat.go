package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// writeFlat writes rows of a column that is not nested. Its definition levels are made here: those that pqarrow makes
// for a column without nulls send the column through a slow path, which is wrong for dictionaries besides.
func (e *columnEncoder) writeFlat(out io.Writer, field arrow.Field, data *arrow.Chunked, first, n int64) error {
	rows := array.NewChunkedSlice(data, first, first+n)
	defer rows.Release()
	chunks, props := rows.Chunks(), e.props
	if len(chunks) == 1 && storesRawInteger(field.Type) && props.DictionaryEnabledFor(field.Name) {
		if dictionary := integerDictionary(chunks[0], e.opts.Allocator); dictionary != nil {
			defer dictionary.Release()
			chunks = []arrow.Array{dictionary}
		} else {
			props = e.plain
		}
	}
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
		if err := pqarrow.WriteArrowToColumn(ctx, column, chunk, e.levels(field, chunk), nil, field.Nullable); err != nil {
			return err
		}
	}
	if err := group.Close(); err != nil {
		return err
	}
	return w.Close()
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
