//go:build capi

package cdata

// #include <errno.h>
// #include <stdlib.h>
// #include "abi.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// ErrStream is returned for an error of a stream of C. The error has its text and number.
var ErrStream = errors.New("arrowsort: the stream failed")

// A Reader reads a stream of C. It is not safe for concurrent use, but for Retain and Release.
type Reader struct {
	stream     *Stream
	field      arrow.Field
	references atomic.Int64
}

// Import takes a stream over: it is marked as released, and its release callback is called once, by the last Release of
// the reader or before an error is returned.
func Import(from *Stream) (*Reader, error) {
	if from == nil {
		return nil, fmt.Errorf("%w: a stream is NULL", errkind.ErrOption)
	}
	if from.release == nil {
		return nil, fmt.Errorf("%w: a stream was released already", errkind.ErrOption)
	}
	moved := C.cdata_stream_move(from)
	if moved == nil {
		C.cdata_stream_release(from)
		return nil, fmt.Errorf("%w: for a stream", errkind.ErrMemory)
	}
	r := &Reader{stream: moved}
	r.references.Store(1)
	var schema Schema
	err := r.failure(C.cdata_stream_get_schema(moved, &schema))
	if err == nil {
		r.field, err = ImportField(&schema)
		C.cdata_schema_release(&schema)
	}
	if err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// failure returns the error of a callback that returned a number.
func (r *Reader) failure(number C.int) error {
	if number == 0 {
		return nil
	}
	text := "without a text"
	if last := C.cdata_stream_get_last_error(r.stream); last != nil {
		text = C.GoString(last)
	}
	return fmt.Errorf("%w: %s (error %d)", ErrStream, text, number)
}

// Field is the type of the arrays: of a stream of records a struct.
func (r *Reader) Field() arrow.Field { return r.field }

// Next returns the next array, which the caller releases, nil at the end.
func (r *Reader) Next() (arrow.ArrayData, error) {
	var next Array
	if err := r.failure(C.cdata_stream_get_next(r.stream, &next)); err != nil || next.release == nil {
		return nil, err
	}
	return ImportArray(&next, r.field.Type)
}

// Retain adds a reference.
func (r *Reader) Retain() { r.references.Add(1) }

// Release drops a reference; the last one releases the stream.
func (r *Reader) Release() {
	if r.references.Add(-1) == 0 {
		C.cdata_stream_release(r.stream)
		C.free(unsafe.Pointer(r.stream))
	}
}

// A Source is what an exported stream reads. C calls it from one thread at a time.
type Source interface {
	// Field is the type of the arrays.
	Field() arrow.Field
	// Next returns the next array, which the caller releases, nil at the end.
	Next() (arrow.ArrayData, error)
	Release()
}

// Export makes a stream of a source, which it releases with the stream, or before an error is returned. The stream must
// be zeroed.
func Export(source Source, out *Stream) error {
	handle := cgo.NewHandle(&exportedStream{Source: source})
	if C.cdata_stream_init(out, C.uintptr_t(handle)) != 0 {
		handle.Delete()
		source.Release()
		return fmt.Errorf("%w: for a stream", errkind.ErrMemory)
	}
	return nil
}

// An exportedStream keeps the error that ended it.
type exportedStream struct {
	Source
	failed error
}

// LastError returns the error of the last call of a stream that Export made; nil when there was none.
func LastError(stream *Stream) error {
	if stream == nil || stream.release == nil {
		return fmt.Errorf("%w: the stream is NULL or was released", errkind.ErrOption)
	}
	handle := C.cdata_stream_handle(stream)
	if handle == 0 {
		return fmt.Errorf("%w: the stream is not one of this library", errkind.ErrOption)
	}
	return cgo.Handle(handle).Value().(*exportedStream).failed
}

//export goArrowsortReleaseHandle
func goArrowsortReleaseHandle(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	h.Value().(interface{ Release() }).Release()
	h.Delete()
}

//export goArrowsortStreamSchema
func goArrowsortStreamSchema(handle C.uintptr_t, out *Schema, text **C.char) C.int {
	s := cgo.Handle(handle).Value().(*exportedStream)
	return s.answer(text, func() error { return ExportField(s.Field(), out) })
}

//export goArrowsortStreamNext
func goArrowsortStreamNext(handle C.uintptr_t, out *Array, text **C.char) C.int {
	s := cgo.Handle(handle).Value().(*exportedStream)
	return s.answer(text, func() error {
		if s.failed != nil {
			return s.failed
		}
		data, err := s.Next()
		if data != nil {
			err = ExportArray(data, out)
			data.Release()
		}
		s.failed = err
		return err
	})
}

// answer makes an error number of what work returns, or of its panic.
func (s *exportedStream) answer(text **C.char, work func() error) C.int {
	err := Contain(work)
	if err == nil {
		return 0
	}
	s.failed = err
	*text = C.CString(err.Error())
	switch {
	case errors.Is(err, context.Canceled):
		return C.ECANCELED
	case errors.Is(err, errkind.ErrMemory):
		return C.ENOMEM
	case errors.Is(err, arrow.ErrInvalid):
		return C.EINVAL
	}
	return C.EIO
}
