//go:build capi

package cdata

// #include <stdlib.h>
// #include "abi.h"
import "C"

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// ImportArray takes an array over, which is of the type of a field: it is marked as released, and its release callback
// is called once, when the result and all that shares its buffers are released, or before an error is returned.
// Buffers are not copied. Values and offsets are taken as they are; what they refer to is not checked, but for the
// last offset.
func ImportArray(from *Array, typ arrow.DataType) (arrow.ArrayData, error) {
	if from == nil {
		return nil, fmt.Errorf("%w: an array is NULL", errkind.ErrOption)
	}
	if from.release == nil {
		return nil, fmt.Errorf("%w: an array was released already", errkind.ErrOption)
	}
	moved := C.cdata_array_move(from)
	if moved == nil {
		C.cdata_array_release(from)
		return nil, fmt.Errorf("%w: for an array", errkind.ErrMemory)
	}
	o := &owner{array: moved}
	o.references.Store(1)
	defer o.release()
	return o.importData(moved, typ, "")
}

// An owner is the allocator of the buffers of an imported array. The array is released after the last of them.
type owner struct {
	array      *Array
	references atomic.Int64
}

func (o *owner) release() {
	if o.references.Add(-1) == 0 {
		C.cdata_array_release(o.array)
		C.free(unsafe.Pointer(o.array))
	}
}

// Free releases the reference of a buffer.
func (o *owner) Free([]byte) { o.release() }

// Allocate is not called: the buffers do not grow.
func (o *owner) Allocate(int) []byte { panic("an imported buffer cannot grow") }

// Reallocate is not called.
func (o *owner) Reallocate(int, []byte) []byte { panic("an imported buffer cannot grow") }

// zeros stand for the buffers of arrays without rows: C may leave them out, or make them shorter than their one offset.
var zeros [8]byte

// buffer returns a buffer of some bytes of C.
func (o *owner) buffer(at unsafe.Pointer, size int64) *memory.Buffer {
	if size == 0 {
		return memory.NewBufferBytes(zeros[:0])
	}
	o.references.Add(1)
	return memory.NewBufferWithAllocator(unsafe.Slice((*byte)(at), size), o)
}

// An imported is an array of C on its way to Go.
type imported struct {
	*owner
	c          *Array
	typ        arrow.DataType
	rows, from int64 // the rows of buffers that are used end with row rows; those before from are not
	at         string
	pointers   []unsafe.Pointer // to the buffers
	buffers    []*memory.Buffer
	children   []arrow.ArrayData
}

func (a *imported) errorf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if a.at != "" {
		text = fmt.Sprintf("field %q: %s", a.at, text)
	}
	return fmt.Errorf("%w: array of type %s: %s", errkind.ErrOption, a.typ, text)
}

// importData makes the data of an array, a child or a dictionary; at is the name of its field.
func (o *owner) importData(c *Array, typ arrow.DataType, at string) (arrow.ArrayData, error) {
	a := imported{owner: o, c: c, typ: typ, at: at}
	if err := a.checkHeader(); err != nil {
		return nil, err
	}
	defer func() {
		for _, b := range a.buffers {
			if b != nil {
				b.Release()
			}
		}
		for _, child := range a.children {
			child.Release()
		}
	}()
	if err := a.importChildren(); err != nil {
		return nil, err
	}
	if err := a.importBuffers(); err != nil {
		return nil, err
	}
	data := array.NewData(typ, int(c.length), a.buffers, a.children, a.nulls(), int(a.from))
	dictionary, ok := typ.(*arrow.DictionaryType)
	if !ok {
		return data, nil
	}
	if c.dictionary == nil {
		data.Release()
		return nil, a.errorf("it has no dictionary")
	}
	entries, err := o.importData(c.dictionary, dictionary.ValueType, at)
	if err != nil {
		data.Release()
		return nil, err
	}
	data.SetDictionary(entries)
	entries.Release()
	return data, nil
}

// checkHeader checks the numbers of an array, and finds its buffers.
func (a *imported) checkHeader() error {
	c := a.c
	if c == nil {
		return a.errorf("it is NULL")
	}
	const most = math.MaxInt64 / 2
	switch {
	case c.release == nil:
		return a.errorf("it was released already")
	case c.length < 0 || c.length > most || c.offset < 0 || c.offset > most:
		return a.errorf("length %d and offset %d are out of range", c.length, c.offset)
	case c.null_count < -1 || c.null_count > c.length:
		return a.errorf("%d nulls in %d rows", c.null_count, c.length)
	case c.n_buffers < 0 || c.n_buffers > math.MaxInt32 || c.n_buffers > 0 && c.buffers == nil:
		return a.errorf("it has %d buffers that are NULL", c.n_buffers)
	case c.n_children < 0 || c.n_children > 0 && c.children == nil:
		return a.errorf("it has %d children that are NULL", c.n_children)
	}
	a.pointers = unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(c.buffers)), int(c.n_buffers))
	if c.length > 0 {
		a.from, a.rows = int64(c.offset), int64(c.offset+c.length)
	}
	return nil
}

// nulls returns the number of nulls, -1 where it is not known.
func (a *imported) nulls() int {
	if a.typ.ID() != arrow.NULL && (len(a.buffers) == 0 || a.buffers[0] == nil) {
		return 0
	}
	return int(a.c.null_count)
}

// importChildren imports the children, and checks that they are as long as the array.
func (a *imported) importChildren() error {
	var fields []arrow.Field
	if nested, ok := a.typ.(arrow.NestedType); ok {
		fields = nested.Fields()
	}
	if int(a.c.n_children) != len(fields) {
		return a.errorf("it has %d children, not %d", a.c.n_children, len(fields))
	}
	for i, child := range unsafe.Slice(a.c.children, len(fields)) {
		data, err := a.importData(child, fields[i].Type, fields[i].Name)
		if err != nil {
			if a.at != "" {
				err = fmt.Errorf("in field %q: %w", a.at, err)
			}
			return err
		}
		a.children = append(a.children, data)
		if least := a.rowsOfChild(); int64(data.Len()) < least {
			return a.errorf("child %d has %d rows, not %d", i, data.Len(), least)
		}
	}
	return nil
}

// rowsOfChild returns the number of rows of a child that depends on no buffer.
func (a *imported) rowsOfChild() int64 {
	switch t := a.typ.(type) {
	case *arrow.StructType, *arrow.SparseUnionType:
		return a.rows
	case *arrow.FixedSizeListType:
		return saturated(a.rows, int64(t.Len()))
	}
	return 0
}

// importBuffers imports the buffers by the layout of the type.
func (a *imported) importBuffers() error {
	switch t := a.typ.(type) {
	case *arrow.NullType:
		// Polars passes one buffer, as versions of Arrow before 1.0 had it. None is read.
		a.buffers = []*memory.Buffer{nil}
		return nil
	case *arrow.RunEndEncodedType:
		a.buffers = []*memory.Buffer{nil}
		if err := a.needBuffers(0); err != nil {
			return err
		}
		return a.checkRuns()
	case *arrow.StructType, *arrow.FixedSizeListType:
		return a.fixed()
	case *arrow.ListType, *arrow.MapType:
		return a.list(4)
	case *arrow.LargeListType:
		return a.list(8)
	case *arrow.ListViewType:
		return a.fixed(4, 4)
	case *arrow.LargeListViewType:
		return a.fixed(8, 8)
	case *arrow.StringType, *arrow.BinaryType:
		return a.text(4)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return a.text(8)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return a.views()
	case *arrow.SparseUnionType:
		return a.union(1)
	case *arrow.DenseUnionType:
		return a.union(1, 4)
	case *arrow.BooleanType:
		return a.booleans()
	case arrow.FixedWidthDataType:
		return a.fixed(int64(t.BitWidth() / 8))
	}
	return fmt.Errorf("%w: arrays of type %s", errkind.ErrUnsupported, a.typ)
}
