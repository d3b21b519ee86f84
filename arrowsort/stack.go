package arrowsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

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
