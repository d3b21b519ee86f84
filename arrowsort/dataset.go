package arrowsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// Data is what can be sorted: an arrow.Record, an arrow.Table, an arrow.Array or an *arrow.Chunked.
type Data interface {
	Retain()
	Release()
}

type shape int

const (
	recordShape shape = iota
	tableShape
	arrayShape
	chunkedShape
)

// A dataset is the data of a call as columns, and what it takes to give results the same shape.
type dataset struct {
	adapter.Input
	shape  shape
	schema *arrow.Schema // of a record or a table

	columns [4]adapter.Column // storage for few, without an allocation
	chunk   [1]arrow.Array    // of an array
	key     [1]sortKey        // storage for one
}

// open borrows the data.
func (d *dataset) open(data Data) (err error) {
	if data != nil && adapter.IsNil(data) {
		return fmt.Errorf("%w: data of type %T is nil", ErrOption, data)
	}
	defer func() {
		if p := recover(); p != nil { // a type of data that is foreign to Arrow
			err = fmt.Errorf("%w: data of type %T cannot be read: %v", ErrOption, data, p)
		}
	}()
	switch x := data.(type) {
	case arrow.Record:
		d.shape, d.schema, d.Rows = recordShape, x.Schema(), int(x.NumRows())
		d.Columns = d.storage(int(x.NumCols()))
		arrays := x.Columns()
		for i, a := range arrays {
			d.Columns[i] = adapter.Column{Name: x.ColumnName(i), Type: a.DataType(), Chunks: arrays[i : i+1]}
		}
	case arrow.Table:
		d.shape, d.schema, d.Rows = tableShape, x.Schema(), int(x.NumRows())
		d.Columns = d.storage(int(x.NumCols()))
		for i := range d.Columns {
			c := x.Column(i)
			d.Columns[i] = adapter.Column{Name: c.Name(), Type: c.DataType(), Chunks: c.Data().Chunks()}
		}
	case *arrow.Chunked:
		d.shape, d.Rows = chunkedShape, x.Len()
		d.Columns = d.storage(1)
		d.Columns[0] = adapter.Column{Type: x.DataType(), Chunks: x.Chunks()}
	case arrow.Array:
		d.shape, d.Rows = arrayShape, x.Len()
		d.chunk[0] = x
		d.Columns = d.storage(1)
		d.Columns[0] = adapter.Column{Type: x.DataType(), Chunks: d.chunk[:]}
	default:
		return fmt.Errorf("%w: data of type %T is not an arrow.Record, arrow.Table, arrow.Array or *arrow.Chunked",
			ErrOption, data)
	}
	return nil
}

func (d *dataset) storage(columns int) []adapter.Column {
	if columns <= len(d.columns) {
		return d.columns[:columns]
	}
	return make([]adapter.Column, columns)
}

// fields are the columns as fields.
func (d *dataset) fields() []arrow.Field {
	fields := make([]arrow.Field, len(d.Columns))
	for i, c := range d.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type}
	}
	return fields
}

// splits reports whether a column of the result may have several chunks.
func (d *dataset) splits() bool { return d.shape == tableShape || d.shape == chunkedShape }

// assemble makes data of the shape of the input from columns. It takes the arrays over.
func (d *dataset) assemble(columns [][]arrow.Array, rows int) Data {
	defer adapter.ReleaseAll(columns)
	switch d.shape {
	case recordShape:
		arrays := make([]arrow.Array, len(columns))
		for i, chunks := range columns {
			arrays[i] = chunks[0]
		}
		return array.NewRecord(d.schema, arrays, int64(rows))
	case tableShape:
		cols := make([]arrow.Column, len(columns))
		for i, chunks := range columns {
			field := d.schema.Field(i)
			data := arrow.NewChunked(field.Type, chunks)
			cols[i] = *arrow.NewColumn(field, data)
			data.Release()
			defer cols[i].Release()
		}
		return array.NewTable(d.schema, cols, int64(rows))
	case chunkedShape:
		return arrow.NewChunked(d.Columns[0].Type, columns[0])
	}
	columns[0][0].Retain()
	return columns[0][0]
}

// as converts the result of a call to its static type, which differs only for types of data that are foreign to Arrow.
func as[T Data](result Data) (T, error) {
	if t, ok := result.(T); ok {
		return t, nil
	}
	result.Release()
	var none T
	return none, fmt.Errorf("%w: the result is a %T, not a %T", ErrOption, result, none)
}
