package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Data is what can be sorted: an arrow.RecordBatch, an arrow.Table, an arrow.Array or an *arrow.Chunked.
type Data interface {
	Retain()
	Release()
}

// transform has a function of the core make data out of the data, of the same kind.
func transform[T Data](data T, do func(arrowsort.Data) (arrowsort.Data, error)) (T, error) {
	var none T
	in, err := open(data)
	if err != nil {
		return none, translate(err)
	}
	defer in.core.Release()
	core, err := do(in.core)
	if err != nil {
		return none, translate(err)
	}
	return result(data, core, &in.shared)
}

// result makes data of the type and the schema of the data from a result of the core, which it takes over.
func result[T Data](data T, core arrowsort.Data, shared *convert.BufferMap) (T, error) {
	defer core.Release()
	dicts := shared.Dictionaries()
	defer dicts.Release()
	result := like(data, core, &dicts)
	if t, ok := result.(T); ok {
		return t, nil
	}
	result.Release()
	var none T
	return none, translate(fmt.Errorf("%w: the result is a %T, not a %T", arrowsort.ErrOption, result, none))
}

// like makes data of v18 from a result of the core, whose memory it shares: with the schema, the types and the metadata
// of the input.
func like(data Data, result arrowsort.Data, dicts *convert.Dictionaries) Data {
	switch x := data.(type) {
	case arrow.RecordBatch:
		rec := result.(v15.Record)
		columns := make([]arrow.Array, rec.NumCols())
		for i, c := range rec.Columns() {
			columns[i] = dicts.ToArray(c, x.Column(i).DataType())
			defer columns[i].Release()
		}
		var meta arrow.Metadata
		if m, ok := x.(arrow.RecordBatchWithMetadata); ok {
			meta = m.Metadata()
		}
		return array.NewRecordBatchWithMetadata(x.Schema(), columns, rec.NumRows(), meta)
	case arrow.Table:
		tbl := result.(v15.Table)
		columns := make([]arrow.Column, tbl.NumCols())
		for i := range columns {
			rows := dicts.ToChunked(tbl.Column(i).Data(), x.Column(i).DataType())
			columns[i] = *arrow.NewColumn(x.Column(i).Field(), rows)
			rows.Release()
			defer columns[i].Release()
		}
		return array.NewTable(x.Schema(), columns, tbl.NumRows())
	case *arrow.Chunked:
		return dicts.ToChunked(result.(*v15.Chunked), x.DataType())
	}
	return dicts.ToArray(result.(v15.Array), data.(arrow.Array).DataType())
}

// An input is data of v18 as the core takes it, and what it borrows.
type input struct {
	core   arrowsort.Data // shares the memory of the data
	shared convert.BufferMap
}

// open borrows the data. The caller releases input.core.
func open(data Data) (*input, error) {
	in := &input{}
	core, err := borrow(data, &in.shared)
	if err != nil {
		return nil, err
	}
	in.core = core
	return in, nil
}

// borrow returns data of the core that shares the memory of the data. The caller releases it.
func borrow(data Data, shared *convert.BufferMap) (core arrowsort.Data, err error) {
	if data != nil && adapter.IsNil(data) {
		return nil, fmt.Errorf("%w: data of type %T is nil", arrowsort.ErrOption, data)
	}
	defer func() {
		if p := recover(); p != nil { // buffers that contradict the type or the length
			core, err = nil, fmt.Errorf("%w: malformed data: %v", arrowsort.ErrOption, p)
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
		a, err := in.array(label(rec.ColumnName(i), i), c)
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
		rows, err := in.chunks(label(c.Name(), i), c.Data())
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
	typ, err := layout(label, rows.DataType())
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
	typ, err := layout(label, a.DataType())
	if err != nil {
		return nil, err
	}
	return in.shared.FromArray(a, typ), nil
}

func layout(label string, typ arrow.DataType) (v15.DataType, error) {
	converted, err := convert.FromLayout(typ)
	if err != nil {
		return nil, fmt.Errorf("%s has type %v: %w", label, typ, err)
	}
	return converted, nil
}

// label names a column in errors.
func label(name string, i int) string {
	if name == "" {
		return fmt.Sprintf("column %d", i)
	}
	return fmt.Sprintf("column %q", name)
}
