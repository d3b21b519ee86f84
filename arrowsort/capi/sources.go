//go:build capi

package capi

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// sourceOf returns a source of the records of a table or the chunks of a column. It holds the data.
func sourceOf(data arrowsort.Data) cdata.Source {
	if table, ok := data.(arrow.Table); ok {
		return &recordSource{RecordReader: array.NewTableReader(table, 0)}
	}
	data.Retain()
	return &chunkSource{column: data.(*arrow.Chunked)}
}

// A chunkSource is a source of the chunks of a column.
type chunkSource struct {
	column *arrow.Chunked
	next   int
}

func (s *chunkSource) Field() arrow.Field {
	return arrow.Field{Type: s.column.DataType(), Nullable: true}
}

func (s *chunkSource) Next() (arrow.ArrayData, error) {
	if s.next == len(s.column.Chunks()) {
		return nil, nil
	}
	data := s.column.Chunk(s.next).Data()
	s.next++
	data.Retain()
	return data, nil
}

func (s *chunkSource) Release() { s.column.Release() }

// A recordSource is a source of records. It releases what they come from.
type recordSource struct {
	array.RecordReader
	end func() // after the release of the reader; nil: nothing
}

func (s *recordSource) Field() arrow.Field {
	schema := s.Schema()
	return arrow.Field{Type: arrow.StructOf(schema.Fields()...), Metadata: schema.Metadata()}
}

func (s *recordSource) Next() (arrow.ArrayData, error) {
	if !s.RecordReader.Next() {
		return nil, s.Err()
	}
	return cdata.RecordData(s.Record()), nil
}

func (s *recordSource) Release() {
	s.RecordReader.Release()
	if s.end != nil {
		s.end()
	}
}

// A recordReader reads a stream of C as records.
type recordReader struct {
	stream     *cdata.Reader
	schema     *arrow.Schema
	record     arrow.Record
	err        error
	references atomic.Int64
}

// newRecordReader takes a stream of C over.
func newRecordReader(from *cdata.Stream) (*recordReader, error) {
	stream, err := cdata.Import(from)
	if err != nil {
		return nil, err
	}
	schema, ok := schemaOf(stream.Field())
	if !ok {
		defer stream.Release()
		return nil, optionErrorf("a stream has arrays of type %s, not records", stream.Field().Type)
	}
	r := &recordReader{stream: stream, schema: schema}
	r.references.Store(1)
	return r, nil
}

func (r *recordReader) Schema() *arrow.Schema { return r.schema }

func (r *recordReader) Record() arrow.Record { return r.record }

func (r *recordReader) Err() error { return r.err }

func (r *recordReader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	var structs arrow.ArrayData
	if structs, r.err = r.stream.Next(); structs == nil {
		return false
	}
	defer structs.Release()
	var columns []arrow.Array
	if columns, r.err = columnsOf(structs); r.err != nil {
		return false
	}
	r.record = array.NewRecord(r.schema, columns, int64(structs.Len()))
	arraydata.Release(columns)
	return true
}

// drop releases the record.
func (r *recordReader) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}

func (r *recordReader) Retain() { r.references.Add(1) }

func (r *recordReader) Release() {
	if r.references.Add(-1) == 0 {
		r.drop()
		r.stream.Release()
	}
}
