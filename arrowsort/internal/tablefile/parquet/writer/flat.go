package writer

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// encodeFlat encodes rows of a column that is not nested by a flatEncoder; false for those that it does not write.
func (e *Encoder) encodeFlat(column int, rows *arrow.Chunked, first int64) (p EncodedColumn, ok bool, err error) {
	sc, err := e.columnSchema(column)
	if err != nil {
		return p, false, err
	}
	field := e.table.Schema().Field(column)
	if !writesFlat(plainType(field.Type), sc.Column(0).PhysicalType()) {
		return p, false, nil
	}
	a := rows.Chunk(0)
	if len(rows.Chunks()) > 1 {
		if a, err = array.Concatenate(rows.Chunks(), e.opts.Allocator); err != nil { // text of more than 2 GiB
			return p, false, nil
		}
		defer a.Release()
	}
	w := e.encoders.Take()
	if w == nil {
		w = new(flatEncoder)
	}
	defer e.encoders.Give(w)
	v := e.dictionaryValues(field, a, &w.Scratch)
	if v == nil {
		if a, err = e.stored(field, a, first); err != nil {
			return p, false, err
		}
		defer a.Release()
		v = newValues(a, e.props.DictionaryEnabledFor(field.Name), &w.Scratch)
	}
	p, err = w.encode(e.files.Take()[:0], v, field, sc, e)
	return p, true, err
}

// columnSchema is the Parquet schema of a file with one of the columns only.
func (e *Encoder) columnSchema(column int) (*schema.Schema, error) {
	return pqarrow.ToParquet(arrow18.NewSchema([]arrow18.Field{e.columns.Field(column)}, nil), e.props, e.arrowProps)
}
