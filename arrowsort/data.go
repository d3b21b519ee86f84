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

// A dataset is the data of a call as columns, with the keys that were found in it.
type dataset struct {
	adapter.Input
	key [1]keypath.Column // storage for one
}

// splits reports whether a column of the result may have several chunks.
func (d *dataset) splits() bool { return d.Shape == adapter.Table || d.Shape == adapter.Chunked }

// assemble makes data of the shape of the input from columns. It takes the arrays over.
func (d *dataset) assemble(columns [][]arrow.Array, rows int) Data {
	defer adapter.ReleaseAll(columns)
	switch d.Shape {
	case adapter.Record:
		arrays := make([]arrow.Array, len(columns))
		for i, chunks := range columns {
			arrays[i] = chunks[0]
		}
		return array.NewRecord(d.Schema, arrays, int64(rows))
	case adapter.Table:
		cols := make([]arrow.Column, len(columns))
		for i, chunks := range columns {
			field := d.Schema.Field(i)
			data := arrow.NewChunked(field.Type, chunks)
			cols[i] = *arrow.NewColumn(field, data)
			data.Release()
			defer cols[i].Release()
		}
		return array.NewTable(d.Schema, cols, int64(rows))
	case adapter.Chunked:
		return arrow.NewChunked(d.Columns[0].Type, columns[0])
	}
	columns[0][0].Retain()
	return columns[0][0]
}

// as converts the result of a call to its static type, which differs only for types of data that are foreign to Arrow.
func as[T Data](result Data, err error) (none T, _ error) {
	if err != nil {
		return none, translate(err)
	}
	if t, ok := result.(T); ok {
		return t, nil
	}
	result.Release()
	return none, fmt.Errorf("%w: the result is a %T, not a %T", ErrOption, result, none)
}

// A concatenation is the rows of inputs of the same columns, one input after another, as one dataset. Nothing is
// copied.
type concatenation struct {
	data   *dataset
	count  int
	ends   []int         // the row after the last of each run
	slices []arrow.Array // of chunks that hold more rows than their table
}

// setSchema sets shape, schema and columns of the inputs to those of one of them.
func (s *concatenation) setSchema(of *adapter.Input) {
	s.data.Shape, s.data.Schema = of.Shape, of.Schema
	s.data.Columns = make([]adapter.Column, len(of.Columns))
	for i, c := range of.Columns {
		s.data.Columns[i] = adapter.Column{Name: c.Name, Type: c.Type}
	}
}

// append appends the rows of an input, which belongs to a run: the last one, or a new one. The first input has the
// schema.
func (s *concatenation) append(data Data, run int) error {
	var d dataset
	if err := d.Open(data); err != nil {
		return fmt.Errorf("input %d: %w", run, err)
	}
	if s.count == 0 {
		s.setSchema(&d.Input)
	} else if err := s.matches(&d); err != nil {
		return fmt.Errorf("input %d: %w", run, err)
	}
	s.count++
	return s.appendRows(&d, run)
}

// appendHead appends the first rows of a record that has the fields of the schema.
func (s *concatenation) appendHead(rec arrow.Record, rows, run int) error {
	var d dataset
	if err := d.Open(rec); err != nil {
		return err
	}
	d.Rows = rows
	return s.appendRows(&d, run)
}

func (s *concatenation) appendRows(d *dataset, run int) error {
	for i := range d.Columns {
		chunks, err := s.head(d.Columns[i].Chunks, d.Rows)
		if err != nil {
			return err
		}
		s.data.Columns[i].Chunks = append(s.data.Columns[i].Chunks, chunks...)
	}
	s.data.Rows += d.Rows
	for len(s.ends) <= run {
		s.ends = append(s.ends, s.data.Rows-d.Rows)
	}
	s.ends[run] = s.data.Rows
	return nil
}

// head returns the first rows of some chunks.
func (s *concatenation) head(chunks []arrow.Array, rows int) (first []arrow.Array, err error) {
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
func (s *concatenation) matches(d *dataset) error {
	if d.Shape != s.data.Shape {
		return fmt.Errorf("%w: it is of another kind than the first input; give records only, or tables", ErrOption)
	}
	if len(d.Columns) != len(s.data.Columns) {
		return fmt.Errorf("%w: it has %d columns, the first input %d", ErrSchema, len(d.Columns), len(s.data.Columns))
	}
	if d.Schema != nil {
		return sameFields(s.data.Schema, d.Schema)
	}
	if a, b := d.Columns[0].Type, s.data.Columns[0].Type; !arrow.TypeEqual(a, b) {
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
func (s *concatenation) release() {
	for _, a := range s.slices {
		a.Release()
	}
	s.slices = nil
}
