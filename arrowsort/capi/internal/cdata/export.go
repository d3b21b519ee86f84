//go:build capi

package cdata

// #include "abi.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// ExportArray makes an array of C that shares the buffers of data, and holds them until it, and all children that C
// moved out of it, are released. The array must be zeroed; it is so after an error too.
func ExportArray(data arrow.ArrayData, out *Array) error {
	e := &exported{data: data}
	data.Retain()
	handle := cgo.NewHandle(e)
	e.holder = C.cdata_holder_new(C.uintptr_t(handle))
	if e.holder == nil {
		handle.Delete()
		e.Release()
		return fmt.Errorf("%w: for an array", errkind.ErrMemory)
	}
	defer C.cdata_holder_release(e.holder) // the arrays have their own references
	err := e.export(data, out)
	if err != nil {
		C.cdata_array_release(out)
		*out = Array{}
	}
	return err
}

// RecordData returns a record as a struct of its columns, which the caller releases.
func RecordData(rec arrow.Record) arrow.ArrayData {
	columns := make([]arrow.ArrayData, rec.NumCols())
	for i, column := range rec.Columns() {
		columns[i] = column.Data()
	}
	return array.NewData(arrow.StructOf(rec.Schema().Fields()...), int(rec.NumRows()), nil, columns, 0, 0)
}

// An exported is what a tree of exported arrays holds.
type exported struct {
	data   arrow.ArrayData
	pinned runtime.Pinner // buffers of Go
	holder *C.struct_cdata_holder
}

// Release releases the data, when the last array of the tree was released.
func (e *exported) Release() {
	e.pinned.Unpin()
	e.data.Release()
}

// export makes an array and its children; those that follow an error are missing.
func (e *exported) export(data arrow.ArrayData, out *Array) error {
	typ := data.DataType()
	for typ.ID() == arrow.EXTENSION {
		typ = typ.(arrow.ExtensionType).StorageType()
	}
	buffers := buffersOf(typ.ID(), data.Buffers())
	children, isDictionary, isView := data.Children(), typ.ID() == arrow.DICTIONARY, isViews(typ.ID())
	count, sizes := len(buffers), 0
	if isView {
		count, sizes = count+1, len(buffers)-2
	}
	if C.cdata_array_init(out, C.int64_t(count), C.int64_t(sizes), C.int64_t(len(children)), boolean(isDictionary),
		e.holder) != 0 {
		return fmt.Errorf("%w: for an array", errkind.ErrMemory)
	}
	out.length, out.offset = C.int64_t(data.Len()), C.int64_t(data.Offset())
	if hasValidity(typ.ID()) || typ.ID() == arrow.NULL {
		out.null_count = C.int64_t(data.NullN())
	}
	slots := unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(out.buffers)), count)
	for i, b := range buffers {
		slots[i] = e.pointer(b, i == 0 && hasValidity(typ.ID()))
	}
	if isView {
		all := C.cdata_array_sizes(out)
		for i, b := range buffers[2:] {
			unsafe.Slice(all, sizes)[i] = C.int64_t(bytesOf(b))
		}
		slots[count-1] = unsafe.Pointer(all)
	}
	for i, child := range unsafe.Slice(out.children, len(children)) {
		if err := e.export(children[i], child); err != nil {
			return err
		}
	}
	if isDictionary {
		return e.export(data.Dictionary(), out.dictionary)
	}
	return nil
}

// pointer returns the address of a buffer. A bitmap of nulls may be NULL; other buffers are not, even those without
// bytes, which some readers expect.
func (e *exported) pointer(b *memory.Buffer, isValidity bool) unsafe.Pointer {
	switch {
	case isValidity && b == nil:
		return nil
	case bytesOf(b) == 0:
		return unsafe.Pointer(&C.cdata_zeros)
	}
	at := unsafe.Pointer(&b.Bytes()[0])
	e.pin(at)
	return at
}

// pin pins memory of Go. Pin panics for memory of C, and there is no other way to ask whose memory it is.
func (e *exported) pin(at unsafe.Pointer) {
	defer func() { _ = recover() }()
	e.pinned.Pin(at)
}

func bytesOf(b *memory.Buffer) int {
	if b == nil {
		return 0
	}
	return b.Len()
}

// buffersOf returns the buffers of an array that C has: as many as its type has, without the bitmap of nulls where
// there is none.
func buffersOf(id arrow.Type, buffers []*memory.Buffer) []*memory.Buffer {
	n := 2 // bitmap of nulls, and values or offsets
	switch id {
	case arrow.NULL, arrow.RUN_END_ENCODED:
		return nil
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		n = 1
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW,
		arrow.DENSE_UNION:
		n = 3
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		n = max(2, len(buffers))
	}
	exact := make([]*memory.Buffer, n)
	copy(exact, buffers)
	if !hasValidity(id) {
		return exact[1:]
	}
	return exact
}

func hasValidity(id arrow.Type) bool {
	switch id {
	case arrow.NULL, arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return false
	}
	return true
}

func isViews(id arrow.Type) bool { return id == arrow.STRING_VIEW || id == arrow.BINARY_VIEW }

// ReleaseArray releases an array, unless it is released already.
func ReleaseArray(array *Array) { C.cdata_array_release(array) }
