//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// oneArray returns the rows of a column as one array, which the caller releases.
func oneArray(data arrowsort.Data, what string) (arrow.Array, error) {
	chunked, ok := data.(*arrow.Chunked)
	if !ok {
		return nil, optionErrorf("%s is a table, not a column", what)
	}
	if len(chunked.Chunks()) == 1 {
		only := chunked.Chunk(0)
		only.Retain()
		return only, nil
	}
	mem := memory.DefaultAllocator
	if len(chunked.Chunks()) == 0 {
		return arraydata.Nulls(mem, chunked.DataType(), 0), nil
	}
	return array.Concatenate(chunked.Chunks(), mem)
}

// converterOf returns the converter of keys of data of the types of like, which may be a column.
func converterOf(like arrowsort.Data, keys []arrowsort.Key) (*rows.Converter, error) {
	if table, ok := like.(arrow.Table); ok {
		return rows.ForKeys(table.Schema(), keys)
	}
	field := rows.Field{Type: like.(*arrow.Chunked).DataType()}
	if len(keys) > 0 {
		field.Order, field.Nulls = keys[0].Order, keys[0].Nulls
		field.Function, field.Collation = keys[0].Function, keys[0].Collation
	}
	return rows.NewConverter(field)
}

// ofAllRows refuses options that encoding has no use for.
func (j job) ofAllRows() error {
	if j.Limit != 0 || j.BatchRows != 0 {
		return optionErrorf("options.limit or options.batch_rows is set, and all rows are encoded; leave it out")
	}
	return nil
}

func encodeRows(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		if err := j.ofAllRows(); err != nil {
			return nil, err
		}
		converter, err := converterOf(j.data, j.keys)
		if err != nil {
			return nil, err
		}
		encoded, err := converter.Encode(ctx, j.data, rows.Options{Allocator: j.Allocator, Threads: j.Threads})
		if err != nil {
			return nil, err
		}
		return column(rowsAsBinary(encoded), nil)
	})
}

// rowsAsBinary returns an array of large binary that shares the memory of rows, and takes them over.
func rowsAsBinary(encoded *rows.Rows) arrow.Array {
	owner := &rowsOwner{Rows: encoded}
	offsets := encoded.Offsets()
	buffers := []*memory.Buffer{nil,
		owner.buffer(unsafe.Slice((*byte)(unsafe.Pointer(&offsets[0])), len(offsets)*arrow.Int64SizeBytes)),
		owner.buffer(encoded.Bytes())}
	defer memory.ReleaseBuffers(buffers[1:])
	data := array.NewData(arrow.BinaryTypes.LargeBinary, encoded.Len(), buffers, nil, 0, 0)
	defer data.Release()
	return array.NewLargeBinaryData(data)
}

// A rowsOwner is the allocator of buffers that share the memory of rows, which are released with the last of them.
type rowsOwner struct {
	*rows.Rows
	buffers atomic.Int64
}

func (o *rowsOwner) buffer(b []byte) *memory.Buffer {
	o.buffers.Add(1)
	return memory.NewBufferWithAllocator(b, o)
}

func (o *rowsOwner) Free([]byte) {
	if o.buffers.Add(-1) == 0 {
		o.Rows.Release()
	}
}

func (o *rowsOwner) Allocate(int) []byte { panic("encoded rows cannot grow") }

func (o *rowsOwner) Reallocate(int, []byte) []byte { panic("encoded rows cannot grow") }

func decodeRows(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		if err := j.ofAllRows(); err != nil {
			return nil, err
		}
		like, err := dataOf(r.other, "like")
		if err != nil {
			return nil, err
		}
		defer like.Release()
		converter, err := converterOf(like, j.keys)
		if err != nil {
			return nil, err
		}
		encoded, err := oneArray(j.data, "rows")
		if err != nil {
			return nil, err
		}
		defer encoded.Release()
		from, err := binaryAsRows(encoded)
		if err != nil {
			return nil, err
		}
		rec, err := converter.Decode(ctx, from, rows.Options{Allocator: j.Allocator, Threads: j.Threads})
		if err != nil {
			return nil, err
		}
		defer rec.Release()
		return array.NewTableFromRecords(converter.Schema(), []arrow.Record{rec}), nil
	})
}

// binaryAsRows borrows the values of a binary array.
func binaryAsRows(a arrow.Array) (*rows.Rows, error) {
	if a.NullN() > 0 {
		return nil, fmt.Errorf("%w: a row is null", rows.ErrRow)
	}
	var offsets []int64
	switch a := a.(type) {
	case *array.LargeBinary:
		offsets = a.ValueOffsets()
	case *array.Binary:
		for _, offset := range a.ValueOffsets() {
			offsets = append(offsets, int64(offset))
		}
	default:
		return nil, optionErrorf("rows have type %s, not binary or large binary", a.DataType())
	}
	if a.Len() == 0 {
		return rows.NewRows(nil, []int64{0})
	}
	return rows.NewRows(a.Data().Buffers()[2].Bytes(), offsets)
}
