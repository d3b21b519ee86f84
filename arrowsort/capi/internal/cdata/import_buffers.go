//go:build capi

package cdata

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// saturated returns the product of two numbers that are not negative, or the largest number.
func saturated(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func (a *imported) needBuffers(n int) error {
	if len(a.pointers) != n {
		return a.errorf("it has %d buffers, not %d", len(a.pointers), n)
	}
	return nil
}

// add adds a buffer of C; NULL stands for one without bytes.
func (a *imported) add(i int, size int64) error {
	switch {
	case size > math.MaxInt64/16:
		return a.errorf("buffer %d would have more bytes than there are", i)
	case size > 0 && a.pointers[i] == nil:
		return a.errorf("buffer %d is NULL, not %d bytes", i, size)
	}
	a.buffers = append(a.buffers, a.buffer(a.pointers[i], size))
	return nil
}

// validity adds the bitmap of values that are not null, where there is one: the first of n buffers.
func (a *imported) validity(n int) error {
	if err := a.needBuffers(n); err != nil {
		return err
	}
	if a.pointers[0] != nil {
		return a.add(0, bitutil.BytesForBits(a.rows))
	}
	if a.c.null_count > 0 {
		return a.errorf("it has %d nulls, but no bitmap of them", a.c.null_count)
	}
	a.buffers = append(a.buffers, nil)
	return nil
}

// fixed imports a bitmap of nulls, and buffers of values of fixed widths in bytes.
func (a *imported) fixed(widths ...int64) error {
	err := a.validity(1 + len(widths))
	for i, width := range widths {
		if err == nil {
			err = a.add(1+i, saturated(a.rows, width))
		}
	}
	return err
}

func (a *imported) booleans() error {
	if err := a.validity(2); err != nil {
		return err
	}
	return a.add(1, bitutil.BytesForBits(a.rows))
}

// union imports the buffers of a union, which has no bitmap of nulls, though old versions of Arrow C++ export one.
func (a *imported) union(widths ...int64) error {
	first := 0
	if len(a.pointers) == 1+len(widths) {
		first = 1
	} else if err := a.needBuffers(len(widths)); err != nil {
		return err
	}
	a.buffers = append(a.buffers, nil)
	for i, width := range widths {
		if err := a.add(first+i, saturated(a.rows, width)); err != nil {
			return err
		}
	}
	return nil
}

// offsets adds a buffer of offsets, and returns the last one.
func (a *imported) offsets(width int64) (last int64, err error) {
	if a.rows == 0 {
		a.buffers = append(a.buffers, memory.NewBufferBytes(zeros[:width]))
		return 0, nil
	}
	if err := a.add(1, saturated(a.rows+1, width)); err != nil {
		return 0, err
	}
	first := offsetAt(a.pointers[1], a.from, width)
	last = offsetAt(a.pointers[1], a.rows, width)
	if first < 0 || last < first {
		return 0, a.errorf("its offsets go from %d to %d", first, last)
	}
	return last, nil
}

func offsetAt(base unsafe.Pointer, i, width int64) int64 {
	at := unsafe.Add(base, i*width)
	if width == 4 {
		return int64(*(*int32)(at))
	}
	return *(*int64)(at)
}

// list imports bitmap and offsets of lists, whose elements are in the child.
func (a *imported) list(width int64) error {
	if err := a.validity(2); err != nil {
		return err
	}
	last, err := a.offsets(width)
	if err == nil && last > int64(a.children[0].Len()) {
		err = a.errorf("its last offset is %d, its child has %d rows", last, a.children[0].Len())
	}
	return err
}

// text imports strings or binary values with offsets.
func (a *imported) text(width int64) error {
	if err := a.validity(3); err != nil {
		return err
	}
	last, err := a.offsets(width)
	if err != nil {
		return err
	}
	return a.add(2, last)
}

// views imports views: bitmap, views, any number of data buffers, and their sizes.
func (a *imported) views() error {
	data := len(a.pointers) - 3
	if data < 0 {
		return a.errorf("it has %d buffers, not at least 3", len(a.pointers))
	}
	if err := a.validity(len(a.pointers)); err != nil {
		return err
	}
	if err := a.add(1, saturated(a.rows, int64(arrow.ViewHeaderSizeBytes))); err != nil {
		return err
	}
	if data == 0 {
		return nil
	}
	if a.pointers[2+data] == nil {
		return a.errorf("the sizes of its %d data buffers are NULL", data)
	}
	for i, size := range unsafe.Slice((*int64)(a.pointers[2+data]), data) {
		if size < 0 {
			return a.errorf("buffer %d has %d bytes", 2+i, size)
		}
		if err := a.add(2+i, size); err != nil {
			return err
		}
	}
	return nil
}

// checkRuns checks that the runs of a run-end-encoded array reach its last row, and that each has a value.
func (a *imported) checkRuns() error {
	ends, values := a.children[0], a.children[1]
	if a.rows == 0 {
		return nil
	}
	if ends.Len() == 0 || values.Len() < ends.Len() {
		return a.errorf("it has %d runs and %d values for %d rows", ends.Len(), values.Len(), a.rows)
	}
	if ends.NullN() > 0 {
		return a.errorf("a run end is null")
	}
	runs := array.MakeFromData(ends)
	defer runs.Release()
	var last int64
	switch runs := runs.(type) {
	case *array.Int16:
		last = int64(runs.Value(runs.Len() - 1))
	case *array.Int32:
		last = int64(runs.Value(runs.Len() - 1))
	case *array.Int64:
		last = runs.Value(runs.Len() - 1)
	}
	if last < a.rows {
		return a.errorf("its runs end at row %d, it at row %d", last, a.rows)
	}
	return nil
}
