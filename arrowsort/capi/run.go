//go:build capi

package capi

// #include <stdlib.h>
// #include <string.h>
// #include "request.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/gpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

type request C.struct_arrowsort_request

// functions carry out the requests, by arrowsort_function.
var functions = [...]func(*request) error{
	C.IMPORT_STREAM: importStream, C.IMPORT_ARRAY: importArray, C.EXPORT_STREAM: exportStream,
	C.EXPORT_ARRAY: exportArray, C.COUNT_ROWS: countRows, C.COUNT_COLUMNS: countColumns, C.VALIDATE: validateData,
	C.CANCEL: cancelCall, C.PROGRESS: showProgress,
	C.SORT: sortData, C.SORT_INDICES: sortIndices, C.TAKE: takeRows, C.IS_SORTED: isSorted, C.RANK: rankRows,
	C.SEARCH_SORTED: searchSorted, C.GROUPS: findGroups, C.MERGE: mergeData, C.EXPLAIN: explainSort,
	C.ENCODE_ROWS: encodeRows, C.DECODE_ROWS: decodeRows, C.DEVICE_ARGSORT: deviceArgsort,
	C.DEVICE_ARGSORT_INTO: deviceArgsortInto, C.DEVICE_SORT: deviceSort,
	C.MERGE_STREAMS: mergeStreams, C.SORT_STREAM: sortStream, C.STREAM_ERROR: streamError, C.FILES: runFiles,
}

// goArrowsortRun carries out a request and sets the error.
//
//export goArrowsortRun
func goArrowsortRun(r *C.struct_arrowsort_request, e *C.struct_arrowsort_error) {
	setError(e, cdata.Contain(func() error { return functions[r.function]((*request)(r)) }))
}

var (
	errHandle  = errors.New("arrowsort: invalid handle")
	errGeneral = errors.New("arrowsort: error") // the kind of errors that have no other
)

// kinds are the codes of errors. The first that an error matches counts.
var kinds = []struct {
	kind error
	code C.int32_t
	name *C.char
}{
	{context.Canceled, C.ARROWSORT_CANCELLED, C.CString("Canceled")},
	{errHandle, C.ARROWSORT_HANDLE, C.CString("ErrHandle")},
	{cdata.ErrStream, C.ARROWSORT_STREAM, C.CString("ErrStream")},
	{errkind.ErrMemory, C.ARROWSORT_MEMORY, C.CString("ErrMemory")},
	{cdata.ErrPanic, C.ARROWSORT_PANIC, C.CString("ErrPanic")},
	{arrowsort.ErrNoKeys, C.ARROWSORT_NO_KEYS, C.CString("ErrNoKeys")},
	{arrowsort.ErrColumn, C.ARROWSORT_COLUMN, C.CString("ErrColumn")},
	{arrowsort.ErrKeyType, C.ARROWSORT_KEY_TYPE, C.CString("ErrKeyType")},
	{arrowsort.ErrRows, C.ARROWSORT_ROWS, C.CString("ErrRows")},
	{arrowsort.ErrOffsets, C.ARROWSORT_OFFSETS, C.CString("ErrOffsets")},
	{arrowsort.ErrDictionary, C.ARROWSORT_DICTIONARY, C.CString("ErrDictionary")},
	{arrowsort.ErrIndex, C.ARROWSORT_INDEX, C.CString("ErrIndex")},
	{arrowsort.ErrUnsorted, C.ARROWSORT_UNSORTED, C.CString("ErrUnsorted")},
	{arrowsort.ErrSchema, C.ARROWSORT_SCHEMA, C.CString("ErrSchema")},
	{rows.ErrRow, C.ARROWSORT_ROW, C.CString("ErrRow")},
	{arrowsort.ErrOption, C.ARROWSORT_OPTION, C.CString("ErrOption")},
	{arraydata.ErrMalformed, C.ARROWSORT_OPTION, C.CString("ErrOption")},
	{errkind.ErrCorrupt, C.ARROWSORT_CORRUPT, C.CString("ErrCorrupt")},
	{errkind.ErrUnsupported, C.ARROWSORT_UNSUPPORTED, C.CString("ErrUnsupported")},
	{fs.ErrNotExist, C.ARROWSORT_NOT_FOUND, C.CString("ErrNotExist")},
	{gpu.ErrDeviceArray, C.ARROWSORT_OPTION, C.CString("ErrOption")},
	{engine.ErrRows, C.ARROWSORT_ROWS, C.CString("ErrRows")},
	{engine.ErrKind, C.ARROWSORT_KEY_TYPE, C.CString("ErrKeyType")},
	{engine.ErrMemory, C.ARROWSORT_MEMORY, C.CString("ErrMemory")},
	{keyencode.ErrColumn, C.ARROWSORT_COLUMN, C.CString("ErrColumn")},
	{gpu.ErrNoDevice, C.ARROWSORT_DEVICE, C.CString("ErrDevice")},
	{gpu.ErrDevice, C.ARROWSORT_DEVICE, C.CString("ErrDevice")},
	{errGeneral, C.ARROWSORT_ERROR, C.CString("Error")},
}

// setError sets an error of C; nil only clears its code and name.
func setError(e *C.struct_arrowsort_error, err error) {
	if err == nil {
		e.code, e.name = C.ARROWSORT_OK, nil
		return
	}
	for _, k := range kinds {
		if errors.Is(err, k.kind) || k.kind == errGeneral {
			e.code, e.name, e.message = k.code, k.name, C.CString(err.Error())
			return
		}
	}
}

// optionErrorf returns an ErrOption about an argument.
func optionErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", arrowsort.ErrOption, fmt.Sprintf(format, args...))
}
