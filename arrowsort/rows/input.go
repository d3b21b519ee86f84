package rows

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// input borrows the data as columns and checks that it has those of the keys.
func (c *Converter) input(data arrowsort.Data) (adapter.Input, error) {
	in, err := open(data)
	if err != nil {
		return in, err
	}
	return in, c.check(&in)
}

// open borrows the data as columns.
func open(data arrowsort.Data) (in adapter.Input, err error) {
	if data != nil && adapter.IsNil(data) {
		return in, fmt.Errorf("%w: data of type %T is nil", arrowsort.ErrOption, data)
	}
	defer func() {
		if p := recover(); p != nil { // a type of data that is foreign to Arrow
			err = fmt.Errorf("%w: data of type %T cannot be read: %v", arrowsort.ErrOption, data, p)
		}
	}()
	switch x := data.(type) {
	case arrow.Record:
		in.Rows = int(x.NumRows())
		for i, a := range x.Columns() {
			in.Columns = append(in.Columns, inputColumn(x.ColumnName(i), a.DataType(), a))
		}
	case arrow.Table:
		in.Rows = int(x.NumRows())
		for i := range int(x.NumCols()) {
			col := x.Column(i)
			in.Columns = append(in.Columns, inputColumn(col.Name(), col.DataType(), col.Data().Chunks()...))
		}
	case *arrow.Chunked:
		in = adapter.Input{Rows: x.Len(), Columns: []adapter.Column{inputColumn("", x.DataType(), x.Chunks()...)}}
	case arrow.Array:
		in = adapter.Input{Rows: x.Len(), Columns: []adapter.Column{inputColumn("", x.DataType(), x)}}
	default:
		return in, fmt.Errorf("%w: data of type %T is not an arrow.Record, arrow.Table, arrow.Array or *arrow.Chunked",
			arrowsort.ErrOption, data)
	}
	return in, nil
}

func inputColumn(name string, typ arrow.DataType, chunks ...arrow.Array) adapter.Column {
	return adapter.Column{Name: name, Type: typ, Chunks: chunks}
}

// check compares the types of the columns that hold keys with the schema.
func (c *Converter) check(in *adapter.Input) error {
	for i := range c.leaves {
		l := &c.leaves[i]
		at := l.Path[0]
		if at >= len(in.Columns) {
			return fmt.Errorf("%w: key %s is in column %d, the data has %d columns",
				arrowsort.ErrColumn, l.Name, at, len(in.Columns))
		}
		if want, has := c.schema.Field(at).Type, in.Columns[at].Type; !arrow.TypeEqual(want, has) {
			return fmt.Errorf("%w: column %s has type %s, the converter is for %s",
				arrowsort.ErrOption, in.Label(at), has, want)
		}
	}
	return nil
}

// rowOf is the input cut down to one row. The caller releases the arrays.
func (c *Converter) rowOf(in *adapter.Input, row int) (one adapter.Input, held []arrow.Array, err error) {
	one = adapter.Input{Rows: 1, Columns: slices.Clone(in.Columns)}
	for i := range one.Columns {
		one.Columns[i].Chunks = nil
	}
	for i := range c.leaves {
		l := &c.leaves[i]
		at := l.Path[0]
		if one.Columns[at].Chunks != nil {
			continue
		}
		slice, err := rowOfChunks(in.Columns[at].Chunks, int64(row))
		if err != nil {
			return one, held, fmt.Errorf("key %s of type %s: row %d: %w", l.Name, l.Type, row, err)
		}
		held = append(held, slice)
		one.Columns[at].Chunks = []arrow.Array{slice}
	}
	return one, held, nil
}

func rowOfChunks(chunks []arrow.Array, row int64) (one arrow.Array, err error) {
	defer arraydata.Guard(&err)
	for int64(chunks[0].Len()) <= row {
		chunks, row = chunks[1:], row-int64(chunks[0].Len())
	}
	return array.NewSlice(chunks[0], row, row+1), nil
}
