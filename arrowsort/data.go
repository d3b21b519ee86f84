package arrowsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
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
	key     [1]keypath.Column // storage for one
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

// A stack is inputs of the same columns one after another, as one dataset. Nothing is copied.
type stack struct {
	*dataset
	inputs int
	ends   []int         // the row after the last of each run
	slices []arrow.Array // of chunks that hold more rows than their table
}

// begin sets the schema of the inputs.
func (s *stack) begin(shape shape, schema *arrow.Schema, columns []adapter.Column) {
	s.shape, s.schema = shape, schema
	s.Columns = make([]adapter.Column, len(columns))
	for i, c := range columns {
		s.Columns[i] = adapter.Column{Name: c.Name, Type: c.Type}
	}
}

// add appends the rows of an input, which belongs to a run: the last one, or a new one. The first input has the schema.
func (s *stack) add(data Data, run int) error {
	var d dataset
	if err := d.open(data); err != nil {
		return fmt.Errorf("input %d: %w", run, err)
	}
	if s.inputs == 0 {
		s.begin(d.shape, d.schema, d.Columns)
	} else if err := s.matches(&d); err != nil {
		return fmt.Errorf("input %d: %w", run, err)
	}
	s.inputs++
	return s.append(&d, run)
}

// addFirst appends the first rows of a record that has the fields of the schema.
func (s *stack) addFirst(rec arrow.Record, rows, run int) error {
	var d dataset
	if err := d.open(rec); err != nil {
		return err
	}
	d.Rows = rows
	return s.append(&d, run)
}

func (s *stack) append(d *dataset, run int) error {
	for i := range d.Columns {
		chunks, err := s.first(d.Columns[i].Chunks, d.Rows)
		if err != nil {
			return err
		}
		s.Columns[i].Chunks = append(s.Columns[i].Chunks, chunks...)
	}
	s.Rows += d.Rows
	for len(s.ends) <= run {
		s.ends = append(s.ends, s.Rows-d.Rows)
	}
	s.ends[run] = s.Rows
	return nil
}

// first is the first rows of some chunks.
func (s *stack) first(chunks []arrow.Array, rows int) (first []arrow.Array, err error) {
	for _, chunk := range chunks {
		if chunk.Len() > rows {
			if chunk, err = adapter.Slice(chunk, 0, int64(rows)); err != nil {
				return nil, err
			}
			s.slices = append(s.slices, chunk)
		}
		if chunk.Len() > 0 {
			first = append(first, chunk)
		}
		rows -= chunk.Len()
	}
	return first, nil
}

// matches checks that an input has the columns of the first one.
func (s *stack) matches(d *dataset) error {
	if d.shape != s.shape {
		return fmt.Errorf("%w: it is of another kind than the first input; give records only, or tables", ErrOption)
	}
	if len(d.Columns) != len(s.Columns) {
		return fmt.Errorf("%w: it has %d columns, the first input %d", ErrSchema, len(d.Columns), len(s.Columns))
	}
	if d.schema != nil {
		return sameFields(s.schema, d.schema)
	}
	if a, b := d.Columns[0].Type, s.Columns[0].Type; !arrow.TypeEqual(a, b) {
		return fmt.Errorf("%w: it has type %s, the first input %s", ErrSchema, a, b)
	}
	return nil
}

// sameFields checks that fields have the same names and types, and may be null alike. Metadata may differ.
func sameFields(want, have *arrow.Schema) error {
	if want.NumFields() != have.NumFields() {
		return fmt.Errorf("%w: it has %d fields, the first input %d", ErrSchema, have.NumFields(), want.NumFields())
	}
	for i := range want.NumFields() {
		a, b := want.Field(i), have.Field(i)
		a.Metadata, b.Metadata = arrow.Metadata{}, arrow.Metadata{}
		if a.Name != b.Name || a.Nullable != b.Nullable || !arrow.TypeEqual(a.Type, b.Type) {
			return fmt.Errorf("%w: its field %d is {%s}, that of the first input {%s}", ErrSchema, i, b, a)
		}
	}
	return nil
}

// release releases the slices.
func (s *stack) release() {
	for _, a := range s.slices {
		a.Release()
	}
	s.slices = nil
}
