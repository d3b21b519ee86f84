//go:build capi

package capi

import (
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

// newRecordReader returns a reader of a stream of C, which it takes over.
func newRecordReader(from *cdata.Stream) (array.RecordReader, error) {
	stream, err := cdata.Import(from)
	if err != nil {
		return nil, err
	}
	schema, ok := schemaOf(stream.Field())
	if !ok {
		defer stream.Release()
		return nil, optionErrorf("a stream has arrays of type %s, not records", stream.Field().Type)
	}
	next := func() (arrow.Record, error) {
		structs, err := stream.Next()
		if structs == nil {
			return nil, err
		}
		defer structs.Release()
		columns, err := columnsOf(structs)
		if err != nil {
			return nil, err
		}
		defer arraydata.Release(columns)
		return array.NewRecord(schema, columns, int64(structs.Len())), nil
	}
	return arraydata.NewRecords(schema, next, stream.Release), nil
}
