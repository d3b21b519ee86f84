// Package bridge passes data, streams, allocators and errors between Arrow Go v18 and the core, whose Arrow is v15, for
// all packages of the module. Nothing is copied.
package bridge

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Allocator returns the allocator for the core, which recognizes the Go allocator of v15.
func Allocator(mem memory.Allocator) memory15.Allocator {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	if _, ok := mem.(*memory.GoAllocator); ok {
		return memory15.NewGoAllocator()
	}
	return mem
}

// twins are Arrow's errors in both versions.
var twins = []struct{ v18, v15 error }{
	{arrow.ErrInvalid, v15.ErrInvalid}, {arrow.ErrNotImplemented, v15.ErrNotImplemented},
	{arrow.ErrKey, v15.ErrKey}, {arrow.ErrIndex, v15.ErrIndex}, {arrow.ErrType, v15.ErrType},
}

// failure is an error of the core that matches Arrow's errors of v18 where it matches those of v15.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func (f failure) Is(target error) bool {
	for _, twin := range twins {
		if target == twin.v18 {
			return errors.Is(f.error, twin.v15)
		}
	}
	return false
}

// Translate lets an error match errors of both versions.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Borrow returns data of the core that shares the memory of the data. The caller releases it.
func Borrow(data arrowsort.Data, shared *convert.BufferMap) (core arrowsort.Data, err error) {
	if data != nil && adapter.IsNil(data) {
		return nil, fmt.Errorf("%w: data of type %T is nil", arrowsort.ErrOption, data)
	}
	defer func() {
		if p := recover(); p != nil {
			core, err = nil, malformed(p)
		}
	}()
	in := borrower{shared}
	switch x := data.(type) {
	case arrow.RecordBatch:
		return in.record(x)
	case arrow.Table:
		return in.table(x)
	case *arrow.Chunked:
		return in.chunks("the data", x)
	case arrow.Array:
		return in.array("the data", x)
	}
	return nil, fmt.Errorf("%w: data of type %T is not an arrow.RecordBatch, arrow.Table, arrow.Array or "+
		"*arrow.Chunked of arrow-go v18", arrowsort.ErrOption, data)
}

// A borrower makes data of the core that shares the memory of data of v18.
type borrower struct{ shared *convert.BufferMap }

func (in borrower) record(rec arrow.RecordBatch) (arrowsort.Data, error) {
	columns, fields := make([]v15.Array, rec.NumCols()), make([]v15.Field, rec.NumCols())
	for i, c := range rec.Columns() {
		a, err := in.array(Label(rec.ColumnName(i), i), c)
		if err != nil {
			return nil, err
		}
		defer a.Release()
		columns[i] = a
		fields[i] = v15.Field{Name: rec.ColumnName(i), Type: a.DataType(), Nullable: rec.Schema().Field(i).Nullable}
	}
	return array15.NewRecord(v15.NewSchema(fields, nil), columns, rec.NumRows()), nil
}

func (in borrower) table(tbl arrow.Table) (arrowsort.Data, error) {
	columns, fields := make([]v15.Column, tbl.NumCols()), make([]v15.Field, tbl.NumCols())
	for i := range columns {
		c := tbl.Column(i)
		rows, err := in.chunks(Label(c.Name(), i), c.Data())
		if err != nil {
			return nil, err
		}
		defer rows.Release()
		fields[i] = v15.Field{Name: c.Name(), Type: rows.DataType(), Nullable: c.Field().Nullable}
		columns[i] = *v15.NewColumn(fields[i], rows)
		defer columns[i].Release()
	}
	return array15.NewTable(v15.NewSchema(fields, nil), columns, tbl.NumRows()), nil
}

func (in borrower) chunks(label string, rows *arrow.Chunked) (*v15.Chunked, error) {
	typ, err := Layout(label, rows.DataType())
	if err != nil {
		return nil, err
	}
	chunks := make([]v15.Array, len(rows.Chunks()))
	for i, c := range rows.Chunks() {
		chunks[i] = in.shared.FromArray(c, typ)
		defer chunks[i].Release()
	}
	return v15.NewChunked(typ, chunks), nil
}

func (in borrower) array(label string, a arrow.Array) (v15.Array, error) {
	typ, err := Layout(label, a.DataType())
	if err != nil {
		return nil, err
	}
	return in.shared.FromArray(a, typ), nil
}

// Layout returns a type as one of the core; the label names the column in errors.
func Layout(label string, typ arrow.DataType) (v15.DataType, error) {
	converted, err := convert.FromLayout(typ)
	if err != nil {
		return nil, fmt.Errorf("%s has type %v: %w", label, typ, err)
	}
	return converted, nil
}

// Label names a column in errors.
func Label(name string, i int) string {
	if name == "" {
		return fmt.Sprintf("column %d", i)
	}
	return fmt.Sprintf("column %q", name)
}

// malformed is the error of buffers that contradict the type or the length, at which Arrow panics.
func malformed(reason any) error {
	return fmt.Errorf("%w: malformed data: %v", arrowsort.ErrOption, reason)
}

// Schema returns a schema of v18 as one of the core.
func Schema(schema *arrow.Schema) (*v15.Schema, error) {
	fields := make([]v15.Field, schema.NumFields())
	for i, f := range schema.Fields() {
		typ, err := Layout(Label(f.Name, i), f.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = v15.Field{Name: f.Name, Type: typ, Nullable: f.Nullable}
	}
	return v15.NewSchema(fields, nil), nil
}

// StoredSchema is Schema with what extension types, and those that only v18 has, are stored as: types that a file of
// the core keeps.
func StoredSchema(schema *arrow.Schema) (*v15.Schema, error) {
	typed, err := Schema(schema)
	if err != nil {
		return nil, err
	}
	return arraydata.WithTypes(typed, convert.Stored), nil
}

// Columns returns the columns of a record, which has the types of the schema, with the memory that they have. The
// caller releases them.
func Columns(rec arrow.RecordBatch, schema *v15.Schema) (columns []v15.Array, err error) {
	defer func() {
		if p := recover(); p != nil {
			columns, err = nil, malformed(p)
		}
	}()
	columns = make([]v15.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		columns[i] = convert.FromArray(c, schema.Field(i).Type)
	}
	return columns, nil
}
