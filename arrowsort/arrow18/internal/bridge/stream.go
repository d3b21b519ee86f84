package bridge

import (
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

// A source reads records of v18 for the core. A reference to it is one to the reader.
type source struct {
	reader array.RecordReader
	schema *v15.Schema
	record v15.Record
	refs   atomic.Int64
	err    error
}

// NewSource returns a source with one reference, which the caller releases. The reader is retained.
func NewSource(reader array.RecordReader) (array15.RecordReader, error) {
	schema, err := Schema(reader.Schema())
	if err != nil {
		return nil, err
	}
	s := &source{reader: reader, schema: schema}
	s.Retain()
	return s, nil
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
	core, err := Borrow(rec, nil)
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

// A wrapped reader turns records of the core into those of v18. Dictionaries that stay the same are converted once.
type wrapped struct {
	core   array15.RecordReader
	schema *arrow.Schema
	dicts  convert.Dictionaries
	record arrow.RecordBatch
	refs   atomic.Int64
}

var _ array.RecordReader = (*wrapped)(nil)

// NewReader returns a reader with one reference. It takes the reader of the core over, whose columns have the types of
// the schema.
func NewReader(core array15.RecordReader, schema *arrow.Schema) array.RecordReader {
	r := &wrapped{core: core, schema: schema}
	r.refs.Store(1)
	return r
}

func (r *wrapped) Schema() *arrow.Schema          { return r.schema }
func (r *wrapped) RecordBatch() arrow.RecordBatch { return r.record }
func (r *wrapped) Record() arrow.RecordBatch      { return r.record }
func (r *wrapped) Err() error                     { return Translate(r.core.Err()) }
func (r *wrapped) Retain()                        { r.refs.Add(1) }

func (r *wrapped) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.dicts.Release()
		r.core.Release()
	}
}

func (r *wrapped) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}

func (r *wrapped) Next() bool {
	r.drop()
	if !r.core.Next() {
		r.dicts.Release()
		return false
	}
	rec := r.core.Record()
	columns := make([]arrow.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		columns[i] = r.dicts.ToArray(c, r.schema.Field(i).Type)
		defer columns[i].Release()
	}
	r.dicts.Forget()
	r.record = array.NewRecordBatch(r.schema, columns, rec.NumRows())
	return true
}
