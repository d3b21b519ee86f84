package writer

import (
	"context"
	"io"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// encodeFlat encodes rows of a column that is not nested: by a flatEncoder, or with pqarrow what that does not write.
func (e *Encoder) encodeFlat(column int, rows *arrow.Chunked) (EncodedColumn, error) {
	field := e.data.Field(column)
	sc, err := e.columnSchema(column)
	if err != nil {
		return EncodedColumn{}, err
	}
	if len(rows.Chunks()) == 1 {
		w := e.encoders.Take()
		if w == nil {
			w = new(flatEncoder)
		}
		defer e.encoders.Give(w)
		if v := e.newFlatValues(field, sc.Column(0), rows.Chunk(0), &w.Scratch); v != nil {
			return w.encode(e.files.Take()[:0], v, field, sc, e)
		}
	}
	return e.encodeWith(func(out io.Writer) error { return e.writeFlat(out, column, sc, rows) })
}

// columnSchema is the Parquet schema of a file with one of the columns only.
func (e *Encoder) columnSchema(column int) (*schema.Schema, error) {
	return pqarrow.ToParquet(arrow18.NewSchema([]arrow18.Field{e.columns.Field(column)}, nil), e.props, e.arrowProps)
}

// writeFlat writes rows with pqarrow. Their definition levels are made here: those that pqarrow makes for a column
// without nulls send the column through a slow path, which is wrong for dictionaries besides.
func (e *Encoder) writeFlat(out io.Writer, number int, sc *schema.Schema, rows *arrow.Chunked) error {
	field, typ := e.data.Field(number), e.columns.Field(number).Type
	rows, err := e.prepare(field, rows)
	if err != nil {
		return err
	}
	defer rows.Release()
	if dictionary, ok := typ.(*arrow18.DictionaryType); ok && rows.DataType().ID() != arrow.DICTIONARY {
		typ = dictionary.ValueType
	}
	w := file.NewParquetWriter(out, sc.Root(), file.WithWriterProps(e.props))
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	column, err := group.NextColumn()
	if err != nil {
		return err
	}
	ctx := pqarrow.NewArrowWriteContext(context.Background(), &e.arrowProps)
	pages, _ := pagesOf(rows, e.pageRows())
	defer pages.Release()
	for _, chunk := range pages.Chunks() {
		converted := convert.ToArray(chunk, typ)
		err := pqarrow.WriteArrowToColumn(ctx, column, converted, e.levels(field, chunk), nil, field.Nullable)
		converted.Release()
		if err != nil {
			return err
		}
	}
	if err := group.Close(); err != nil {
		return err
	}
	return w.Close()
}

// prepare makes text of a dictionary of text, of which pqarrow skips empty strings and null entries. The caller
// releases the rows.
func (e *Encoder) prepare(field arrow.Field, rows *arrow.Chunked) (*arrow.Chunked, error) {
	if typ, ok := field.Type.(*arrow.DictionaryType); ok {
		if id := typ.ValueType.ID(); id == arrow.STRING || id == arrow.BINARY {
			return dictionary.Expand(rows, typ.ValueType, e.opts.Allocator)
		}
	}
	rows.Retain()
	return rows, nil
}

// levels are the definition levels of the rows: 1 for a value, 0 for null; none for a column that cannot be null.
func (e *Encoder) levels(field arrow.Field, a arrow.Array) []int16 {
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
