//go:build capi

package ctest

// // The functions are in package capi, which the program is linked with at last.
// #cgo linux LDFLAGS: -Wl,--unresolved-symbols=ignore-all
// #cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
// #include <stdlib.h>
// #include "../../arrowsort.h"
import "C"

import (
	"fmt"
	"unsafe"

	_ "github.com/arrowsort/arrowsort/arrowsort/capi" // the functions
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
)

// Key is a key of C.
type Key struct {
	Path                   string // empty: Column
	Column                 int
	Descending, NullsFirst bool
	Function, Collation    string
}

// Options are the options of C.
type Options struct {
	Limit, Memory, BatchRows int64
	Call                     uint64
	Engine, SpillDir         string
	Threads                  int
	Unique                   bool
}

// Error is an error of C.
type Error struct {
	Code          int
	Name, Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d): %s", e.Name, e.Code, e.Message) }

// An arguments is the arguments of a call in memory of C.
type arguments struct {
	keys    *C.struct_arrowsort_key
	n       C.int64_t
	options *C.struct_arrowsort_options
	failure C.struct_arrowsort_error
	owned   []unsafe.Pointer
}

func newArguments(keys []Key, o Options) *arguments {
	a := &arguments{n: C.int64_t(len(keys))}
	a.keys = (*C.struct_arrowsort_key)(a.own(C.calloc(C.size_t(len(keys)+1), C.sizeof_struct_arrowsort_key)))
	for i, key := range keys {
		k := &unsafe.Slice(a.keys, len(keys))[i]
		k.path, k.column = a.text(key.Path), C.int64_t(key.Column)
		k.descending, k.nulls_first = truth(key.Descending), truth(key.NullsFirst)
		k.function, k.collation = a.text(key.Function), a.text(key.Collation)
	}
	a.options = (*C.struct_arrowsort_options)(a.own(C.calloc(1, C.sizeof_struct_arrowsort_options)))
	*a.options = C.struct_arrowsort_options{
		size: C.sizeof_struct_arrowsort_options, limit: C.int64_t(o.Limit), memory: C.int64_t(o.Memory),
		batch_rows: C.int64_t(o.BatchRows), call: C.arrowsort_call(o.Call), engine: a.text(o.Engine),
		spill_dir: a.text(o.SpillDir), threads: C.int32_t(o.Threads), unique: truth(o.Unique),
	}
	return a
}

func (a *arguments) own(p unsafe.Pointer) unsafe.Pointer {
	a.owned = append(a.owned, p)
	return p
}

func (a *arguments) text(s string) *C.char {
	if s == "" {
		return nil
	}
	return (*C.char)(a.own(unsafe.Pointer(C.CString(s))))
}

// end frees the arguments and returns the error of a code.
func (a *arguments) end(code C.int32_t) error {
	for _, p := range a.owned {
		C.free(p)
	}
	if code == C.ARROWSORT_OK {
		return nil
	}
	defer C.arrowsort_error_free(&a.failure)
	return &Error{int(a.failure.code), C.GoString(a.failure.name), C.GoString(a.failure.message)}
}

func truth(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// ImportStream calls arrowsort_import_stream.
func ImportStream(from *cdata.Stream) (data uint64, err error) {
	a := newArguments(nil, Options{})
	code := C.arrowsort_import_stream((*C.struct_ArrowArrayStream)(unsafe.Pointer(from)), (*C.arrowsort_data)(&data),
		&a.failure)
	return data, a.end(code)
}

// ImportArray calls arrowsort_import_array.
func ImportArray(from *cdata.Array, schema *cdata.Schema, column bool) (data uint64, err error) {
	a := newArguments(nil, Options{})
	code := C.arrowsort_import_array((*C.struct_ArrowArray)(unsafe.Pointer(from)),
		(*C.struct_ArrowSchema)(unsafe.Pointer(schema)), truth(column), (*C.arrowsort_data)(&data), &a.failure)
	return data, a.end(code)
}

// ExportStream calls arrowsort_export_stream.
func ExportStream(data uint64, out *cdata.Stream) error {
	a := newArguments(nil, Options{})
	return a.end(C.arrowsort_export_stream(C.arrowsort_data(data), (*C.struct_ArrowArrayStream)(unsafe.Pointer(out)),
		&a.failure))
}

// ExportArray calls arrowsort_export_array.
func ExportArray(data uint64, out *cdata.Array, schema *cdata.Schema) error {
	a := newArguments(nil, Options{})
	return a.end(C.arrowsort_export_array(C.arrowsort_data(data), (*C.struct_ArrowArray)(unsafe.Pointer(out)),
		(*C.struct_ArrowSchema)(unsafe.Pointer(schema)), &a.failure))
}

// Rows calls arrowsort_rows.
func Rows(data uint64) (n int64, err error) {
	a := newArguments(nil, Options{})
	code := C.arrowsort_rows(C.arrowsort_data(data), (*C.int64_t)(&n), &a.failure)
	return n, a.end(code)
}

// Columns calls arrowsort_columns.
func Columns(data uint64) (n int64, err error) {
	a := newArguments(nil, Options{})
	code := C.arrowsort_columns(C.arrowsort_data(data), (*C.int64_t)(&n), &a.failure)
	return n, a.end(code)
}

// Validate calls arrowsort_validate.
func Validate(data uint64) error {
	a := newArguments(nil, Options{})
	return a.end(C.arrowsort_validate(C.arrowsort_data(data), &a.failure))
}

// Free calls arrowsort_data_free.
func Free(data uint64) { C.arrowsort_data_free(C.arrowsort_data(data)) }

// Allocated calls arrowsort_allocated.
func Allocated() int64 { return int64(C.arrowsort_allocated()) }
