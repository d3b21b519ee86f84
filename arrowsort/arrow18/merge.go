package arrow18

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Merge merges inputs that are in the order of the keys into one: arrowsort.Merge for data of v18. Schema, types and
// metadata of the result, which the caller releases, are those of the first input.
func Merge[T Data](ctx context.Context, inputs []T, keys []arrowsort.Key, opts Options) (T, error) {
	var none T
	shared, cores := &convert.BufferMap{}, make([]arrowsort.Data, len(inputs))
	for i, input := range inputs {
		core, err := borrow(input, shared)
		if err != nil {
			return none, translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer core.Release()
		cores[i] = core
	}
	merged, err := arrowsort.Merge(ctx, cores, keys, opts.core())
	if err != nil {
		return none, translate(err)
	}
	return result(inputs[0], merged, shared)
}

// MergeReaders is Merge for streams: arrowsort.MergeReaders for readers of v18. Records have at most
// Options.BatchRows rows and the schema of the first reader.
//
// The result keeps a reference to each reader until it is released. A record is valid until the next call of Next,
// unless it is retained.
func MergeReaders(
	ctx context.Context, readers []array.RecordReader, keys []arrowsort.Key, opts Options,
) (array.RecordReader, error) {
	for i, r := range readers {
		if adapter.IsNil(r) || r.Schema() == nil {
			return nil, translate(fmt.Errorf("%w: reader %d is nil, or its schema is", arrowsort.ErrOption, i))
		}
	}
	if i, k, ok := adapter.Repeated(readers); ok {
		return nil, translate(fmt.Errorf("%w: readers %d and %d are the same, whose rows can be read only once",
			arrowsort.ErrOption, i, k))
	}
	sources := make([]array15.RecordReader, len(readers))
	for i, r := range readers {
		schema, err := schema15(r.Schema())
		if err != nil {
			return nil, translate(fmt.Errorf("input %d: %w", i, err))
		}
		s := &source{reader: r, schema: schema}
		s.Retain()
		defer s.Release()
		sources[i] = s
	}
	core, err := arrowsort.MergeReaders(ctx, sources, keys, opts.core())
	if err != nil {
		return nil, translate(err)
	}
	m := &mergeReader{core: core, schema: readers[0].Schema()}
	m.refs.Store(1)
	return m, nil
}

// schema15 returns a schema of v18 as one of the core.
func schema15(schema *arrow.Schema) (*v15.Schema, error) {
	fields := make([]v15.Field, schema.NumFields())
	for i, f := range schema.Fields() {
		typ, err := layout(label(f.Name, i), f.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = v15.Field{Name: f.Name, Type: typ, Nullable: f.Nullable}
	}
	return v15.NewSchema(fields, nil), nil
}

// A source reads records of v18 for the core. A reference to it is one to the reader.
type source struct {
	reader array.RecordReader
	schema *v15.Schema
	record v15.Record
	refs   atomic.Int64
	err    error
}

func (s *source) Schema() *v15.Schema { return s.schema }
func (s *source) Record() v15.Record  { return s.record }

func (s *source) Retain() {
	s.refs.Add(1)
	s.reader.Retain()
}

func (s *source) Release() {
	if s.refs.Add(-1) == 0 {
		s.drop()
	}
	s.reader.Release()
}

func (s *source) drop() {
	if s.record != nil {
		s.record.Release()
		s.record = nil
	}
}

func (s *source) Next() bool {
	s.drop()
	if s.err != nil || !s.reader.Next() {
		return false
	}
	rec := s.reader.RecordBatch()
	if adapter.IsNil(rec) {
		s.err = fmt.Errorf("%w: a record is nil", arrowsort.ErrOption)
		return false
	}
	core, err := borrow(rec, nil)
	if err != nil {
		s.err = err
		return false
	}
	s.record = core.(v15.Record)
	return true
}

func (s *source) Err() error {
	if s.err != nil {
		return s.err
	}
	return s.reader.Err()
}

// A mergeReader turns merged records of the core into those of v18. Dictionaries that stay the same are converted once.
type mergeReader struct {
	core   array15.RecordReader
	schema *arrow.Schema
	dicts  convert.Dictionaries
	record arrow.RecordBatch
	refs   atomic.Int64
}

var _ array.RecordReader = (*mergeReader)(nil)

func (m *mergeReader) Schema() *arrow.Schema          { return m.schema }
func (m *mergeReader) RecordBatch() arrow.RecordBatch { return m.record }
func (m *mergeReader) Record() arrow.RecordBatch      { return m.record }
func (m *mergeReader) Err() error                     { return translate(m.core.Err()) }
func (m *mergeReader) Retain()                        { m.refs.Add(1) }

func (m *mergeReader) Release() {
	if m.refs.Add(-1) == 0 {
		m.drop()
		m.dicts.Release()
		m.core.Release()
	}
}

func (m *mergeReader) drop() {
	if m.record != nil {
		m.record.Release()
		m.record = nil
	}
}

func (m *mergeReader) Next() bool {
	m.drop()
	if !m.core.Next() {
		m.dicts.Release()
		return false
	}
	rec := m.core.Record()
	columns := make([]arrow.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		columns[i] = m.dicts.ToArray(c, m.schema.Field(i).Type)
		defer columns[i].Release()
	}
	m.dicts.Forget()
	m.record = array.NewRecordBatch(m.schema, columns, rec.NumRows())
	return true
}
