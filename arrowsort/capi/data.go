//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

func importStream(r *request) error {
	stream, err := cdata.Import(inputStream(r, 0))
	if err != nil {
		return err
	}
	defer stream.Release()
	var chunks []arrow.ArrayData
	defer func() { arraydata.Release(chunks) }()
	for {
		chunk, err := stream.Next()
		if err != nil {
			return err
		}
		if chunk == nil {
			break
		}
		chunks = append(chunks, chunk)
	}
	data, err := newData(stream.Field(), chunks, false)
	if err != nil {
		return err
	}
	return putData(r.out, data)
}

// inputStream returns a stream that goes in.
func inputStream(r *request, i int) *cdata.Stream {
	return (*cdata.Stream)(unsafe.Pointer(unsafe.Slice(r.streams, i+1)[i]))
}

func importArray(r *request) error {
	if r.schema == nil {
		return optionErrorf("the schema is NULL")
	}
	field, err := cdata.ImportField((*cdata.Schema)(unsafe.Pointer(r.schema)))
	if err != nil {
		return err
	}
	chunk, err := cdata.ImportArray((*cdata.Array)(unsafe.Pointer(r.array)), field.Type)
	if err != nil {
		return err
	}
	defer chunk.Release()
	data, err := newData(field, []arrow.ArrayData{chunk}, r.parameter != 0)
	if err != nil {
		return err
	}
	return putData(r.out, data)
}

// newData returns a table of structs, or a column.
func newData(field arrow.Field, chunks []arrow.ArrayData, column bool) (arrowsort.Data, error) {
	if schema, ok := schemaOf(field); ok && !column {
		return newTable(schema, chunks)
	}
	arrays := make([]arrow.Array, len(chunks))
	for i, chunk := range chunks {
		made, err := arraydata.MakeArray(chunk)
		if err != nil {
			return nil, err
		}
		defer made.Release()
		arrays[i] = made
	}
	return arrow.NewChunked(field.Type, arrays), nil
}

// schemaOf returns the schema of a table whose rows are structs.
func schemaOf(field arrow.Field) (*arrow.Schema, bool) {
	s, ok := field.Type.(*arrow.StructType)
	if !ok {
		return nil, false
	}
	return arrow.NewSchema(s.Fields(), &field.Metadata), true
}

func newTable(schema *arrow.Schema, chunks []arrow.ArrayData) (arrow.Table, error) {
	arrays := make([][]arrow.Array, schema.NumFields())
	defer func() { adapter.ReleaseAll(arrays) }()
	rows := 0
	for _, chunk := range chunks {
		columns, err := columnsOf(chunk)
		if err != nil {
			return nil, err
		}
		for i, column := range columns {
			arrays[i] = append(arrays[i], column)
		}
		rows += chunk.Len()
	}
	return arraydata.NewTable(schema, int64(rows), func(i int) (*arrow.Chunked, error) {
		return arrow.NewChunked(schema.Field(i).Type, arrays[i]), nil
	})
}

// columnsOf returns the fields of structs that are the rows of a table, which the caller releases.
func columnsOf(structs arrow.ArrayData) ([]arrow.Array, error) {
	made, err := arraydata.MakeArray(structs)
	if err != nil {
		return nil, err
	}
	defer made.Release()
	if n := made.NullN(); n > 0 {
		return nil, optionErrorf("%d rows of a table are null: import it as a column", n)
	}
	all := made.(*array.Struct) // its fields have its offset and length
	columns := make([]arrow.Array, all.NumField())
	for i := range columns {
		columns[i] = all.Field(i)
		columns[i].Retain()
	}
	return columns, nil
}

// use passes the data of a request on.
func (r *request) use(work func(data arrowsort.Data) error) error {
	data, err := dataOf(r.data, "data")
	if err != nil {
		return err
	}
	defer data.Release()
	return work(data)
}

func exportStream(r *request) error {
	return r.use(func(data arrowsort.Data) error { return putStream(r.out_stream, sourceOf(data)) })
}

// putStream makes a stream of a source, which it takes over.
func putStream(out *C.struct_ArrowArrayStream, source cdata.Source) error {
	if out == nil {
		source.Release()
		return optionErrorf("the pointer to the stream is NULL")
	}
	return cdata.Export(source, (*cdata.Stream)(unsafe.Pointer(out)))
}

func exportArray(r *request) error {
	return r.use(func(data arrowsort.Data) error {
		if r.out_array == nil || r.out_schema == nil {
			return optionErrorf("the pointer to the array or to the schema is NULL")
		}
		source := sourceOf(data)
		defer source.Release()
		chunk, err := onlyChunk(source)
		if err != nil {
			return err
		}
		defer chunk.Release()
		schema := (*cdata.Schema)(unsafe.Pointer(r.out_schema))
		if err := cdata.ExportField(source.Field(), schema); err != nil {
			return err
		}
		err = cdata.ExportArray(chunk, (*cdata.Array)(unsafe.Pointer(r.out_array)))
		if err != nil {
			cdata.ReleaseSchema(schema)
		}
		return err
	})
}

// onlyChunk returns the one chunk with rows of a source, or one without rows.
func onlyChunk(source cdata.Source) (only arrow.ArrayData, err error) {
	for {
		next, err := source.Next()
		switch {
		case err != nil:
			return nil, err
		case next == nil && only == nil:
			empty := arraydata.Nulls(new(cdata.Memory), source.Field().Type, 0)
			defer empty.Release()
			empty.Data().Retain()
			return empty.Data(), nil
		case next == nil:
			return only, nil
		case only == nil:
			only = next
		case next.Len() == 0:
			next.Release()
		case only.Len() == 0:
			only.Release()
			only = next
		default:
			only.Release()
			next.Release()
			return nil, fmt.Errorf("%w: the data have several chunks: export a stream", arrowsort.ErrOffsets)
		}
	}
}

func countRows(r *request) error {
	return r.count(func(data arrowsort.Data) int64 {
		if table, ok := data.(arrow.Table); ok {
			return table.NumRows()
		}
		return int64(data.(*arrow.Chunked).Len())
	})
}

func countColumns(r *request) error {
	return r.count(func(data arrowsort.Data) int64 {
		if table, ok := data.(arrow.Table); ok {
			return table.NumCols()
		}
		return -1
	})
}

func (r *request) count(what func(data arrowsort.Data) int64) error {
	return r.use(func(data arrowsort.Data) error { return r.putNumber(what(data)) })
}

func (r *request) putNumber(n int64) error {
	if r.out_number == nil {
		return optionErrorf("the pointer to the number is NULL")
	}
	*r.out_number = C.int64_t(n)
	return nil
}

func validateData(r *request) error {
	return r.use(func(data arrowsort.Data) error {
		if column, ok := data.(*arrow.Chunked); ok {
			return validateChunks(column)
		}
		table := data.(arrow.Table)
		for i := range int(table.NumCols()) {
			if err := validateChunks(table.Column(i).Data()); err != nil {
				return fmt.Errorf("column %q: %w", table.Column(i).Name(), err)
			}
		}
		return nil
	})
}

func validateChunks(column *arrow.Chunked) error {
	for _, chunk := range column.Chunks() {
		if err := validate.Array(chunk); err != nil {
			return err
		}
	}
	return nil
}
