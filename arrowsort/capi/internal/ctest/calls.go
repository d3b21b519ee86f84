//go:build capi

package ctest

// #include <stdlib.h>
// #include "../../arrowsort.h"
import "C"

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
)

// Sort calls arrowsort_sort.
func Sort(data uint64, keys []Key, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_sort(C.arrowsort_data(data), a.keys, a.n, a.options, (*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// SortIndices calls arrowsort_sort_indices.
func SortIndices(data uint64, keys []Key, bits int, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_sort_indices(C.arrowsort_data(data), a.keys, a.n, C.int32_t(bits), a.options,
		(*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// Take calls arrowsort_take.
func Take(data, rows uint64, o Options) (out uint64, err error) {
	a := newArguments(nil, o)
	code := C.arrowsort_take(C.arrowsort_data(data), C.arrowsort_data(rows), a.options, (*C.arrowsort_data)(&out),
		&a.failure)
	return out, a.end(code)
}

// IsSorted calls arrowsort_is_sorted.
func IsSorted(data uint64, keys []Key, o Options) (row int64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_is_sorted(C.arrowsort_data(data), a.keys, a.n, a.options, (*C.int64_t)(&row), &a.failure)
	return row, a.end(code)
}

// Rank calls arrowsort_rank.
func Rank(data uint64, keys []Key, ties int, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_rank(C.arrowsort_data(data), a.keys, a.n, C.int32_t(ties), a.options, (*C.arrowsort_data)(&out),
		&a.failure)
	return out, a.end(code)
}

// SearchSorted calls arrowsort_search_sorted.
func SearchSorted(data, values uint64, keys []Key, right bool, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_search_sorted(C.arrowsort_data(data), C.arrowsort_data(values), a.keys, a.n, truth(right),
		a.options, (*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// Groups calls arrowsort_groups.
func Groups(data uint64, keys []Key, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_groups(C.arrowsort_data(data), a.keys, a.n, a.options, (*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// Merge calls arrowsort_merge.
func Merge(inputs []uint64, keys []Key, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_merge((*C.arrowsort_data)(unsafe.SliceData(inputs)), C.int64_t(len(inputs)), a.keys, a.n,
		a.options, (*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// Explain calls arrowsort_explain.
func Explain(data uint64, keys []Key, o Options) (string, error) {
	a := newArguments(keys, o)
	var text *C.char
	code := C.arrowsort_explain(C.arrowsort_data(data), a.keys, a.n, a.options, &text, &a.failure)
	defer C.arrowsort_text_free(text)
	return C.GoString(text), a.end(code)
}

// EncodeRows calls arrowsort_encode_rows.
func EncodeRows(data uint64, keys []Key, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_encode_rows(C.arrowsort_data(data), a.keys, a.n, a.options, (*C.arrowsort_data)(&out),
		&a.failure)
	return out, a.end(code)
}

// DecodeRows calls arrowsort_decode_rows.
func DecodeRows(rows, like uint64, keys []Key, o Options) (out uint64, err error) {
	a := newArguments(keys, o)
	code := C.arrowsort_decode_rows(C.arrowsort_data(rows), C.arrowsort_data(like), a.keys, a.n, a.options,
		(*C.arrowsort_data)(&out), &a.failure)
	return out, a.end(code)
}

// MergeStreams calls arrowsort_merge_streams.
func MergeStreams(streams []*cdata.Stream, keys []Key, o Options, out *cdata.Stream) error {
	a := newArguments(keys, o)
	size := C.size_t(unsafe.Sizeof(C.struct_ArrowArrayStream{}))
	pointers := a.own(C.calloc(C.size_t(len(streams)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	all := unsafe.Slice((**C.struct_ArrowArrayStream)(pointers), len(streams))
	for i, stream := range streams {
		all[i] = (*C.struct_ArrowArrayStream)(a.own(C.calloc(1, size)))
		*(*cdata.Stream)(unsafe.Pointer(all[i])) = *stream
	}
	code := C.arrowsort_merge_streams((**C.struct_ArrowArrayStream)(pointers), C.int64_t(len(streams)), a.keys, a.n,
		a.options, (*C.struct_ArrowArrayStream)(unsafe.Pointer(out)), &a.failure)
	for i, stream := range streams {
		*stream = *(*cdata.Stream)(unsafe.Pointer(all[i]))
	}
	return a.end(code)
}

// SortStream calls arrowsort_sort_stream.
func SortStream(stream *cdata.Stream, keys []Key, o Options, out *cdata.Stream) error {
	a := newArguments(keys, o)
	return a.end(C.arrowsort_sort_stream((*C.struct_ArrowArrayStream)(unsafe.Pointer(stream)), a.keys, a.n, a.options,
		(*C.struct_ArrowArrayStream)(unsafe.Pointer(out)), &a.failure))
}

// StreamError calls arrowsort_stream_error.
func StreamError(stream *cdata.Stream) error {
	a := newArguments(nil, Options{})
	return a.end(C.arrowsort_stream_error((*C.struct_ArrowArrayStream)(unsafe.Pointer(stream)), &a.failure))
}

// NewCall calls arrowsort_call_new.
func NewCall() uint64 { return uint64(C.arrowsort_call_new()) }

// FreeCall calls arrowsort_call_free.
func FreeCall(call uint64) { C.arrowsort_call_free(C.arrowsort_call(call)) }

// Cancel calls arrowsort_cancel.
func Cancel(call uint64) error {
	a := newArguments(nil, Options{})
	return a.end(C.arrowsort_cancel(C.arrowsort_call(call), &a.failure))
}

// Progress calls arrowsort_call_progress.
func Progress(call uint64) (phase string, done, total int64, err error) {
	a := newArguments(nil, Options{})
	var p C.struct_arrowsort_progress
	code := C.arrowsort_call_progress(C.arrowsort_call(call), &p, &a.failure)
	return C.GoString(&p.phase[0]), int64(p.done), int64(p.total), a.end(code)
}

// SpoiltOptions calls arrowsort_sort with options of a size, and with a byte after those that the library knows.
func SpoiltOptions(data uint64, size int, after byte) error {
	a := newArguments([]Key{{Column: 0}}, Options{})
	const room = 64
	more := a.own(C.calloc(1, C.sizeof_struct_arrowsort_options+room))
	*(*C.struct_arrowsort_options)(more) = *a.options
	options := (*C.struct_arrowsort_options)(more)
	options.size = C.size_t(size)
	*(*byte)(unsafe.Add(more, C.sizeof_struct_arrowsort_options)) = after
	var out C.arrowsort_data
	err := a.end(C.arrowsort_sort(C.arrowsort_data(data), a.keys, a.n, options, &out, &a.failure))
	C.arrowsort_data_free(out)
	return err
}

// OptionsSize is the size of the options.
const OptionsSize = int(C.sizeof_struct_arrowsort_options)
