package arrowsort_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// A cell is one value: a row of an array, or a null.
type cell struct {
	arr arrow.Array
	row int
}

// cells are the rows of chunks.
func cells(chunks ...arrow.Array) []cell {
	var all []cell
	for _, a := range chunks {
		for i := range a.Len() {
			all = append(all, cell{a, i})
		}
	}
	return all
}

// field is a field of a struct cell; that of a null struct is null.
func (c cell) field(i int) cell {
	c = c.plain()
	if c.arr == nil {
		return c
	}
	return cell{c.arr.(*array.Struct).Field(i), c.row}
}

// plain is the cell that a dictionary, a run or an extension stands for; without an array it is null.
func (c cell) plain() cell {
	switch a := c.arr.(type) {
	case nil:
		return c
	case *array.Null:
		return cell{}
	case *array.RunEndEncoded:
		return cell{a.Values(), a.GetPhysicalIndex(c.row)}.plain()
	}
	if c.arr.IsNull(c.row) {
		return cell{}
	}
	switch a := c.arr.(type) {
	case *array.Dictionary:
		return cell{a.Dictionary(), a.GetValueIndex(c.row)}.plain()
	case array.ExtensionArray:
		return cell{a.Storage(), c.row}.plain()
	}
	return c
}

func (c cell) String() string {
	if c.arr == nil {
		return "null"
	}
	return arrowtest.Value(c.arr, c.row)
}

// compareCells is the order of two cells under a key.
func compareCells(x, y cell, key arrowsort.Key) int {
	x, y = x.plain(), y.plain()
	if cx, cy := class(x), class(y); cx != cy || cx > 0 {
		if key.Nulls == arrowsort.NullsAtStart {
			return cy - cx
		}
		return cx - cy
	}
	c := compareValues(x, y)
	if key.Order == arrowsort.Descending {
		return -c
	}
	return c
}

// class is 0 for a value, 1 for NaN, 2 for null.
func class(c cell) int {
	if c.arr == nil {
		return 2
	}
	f := math.NaN()
	switch a := c.arr.(type) {
	case *array.Float16:
		f = float64(a.Value(c.row).Float32())
	case *array.Float32:
		f = float64(a.Value(c.row))
	case *array.Float64:
		f = a.Value(c.row)
	default:
		return 0
	}
	if math.IsNaN(f) {
		return 1
	}
	return 0
}

func compareValues(x, y cell) int {
	switch a := x.arr.(type) {
	case *array.Boolean:
		return cmp.Compare(fmt.Sprint(a.Value(x.row)), fmt.Sprint(y.arr.(*array.Boolean).Value(y.row)))
	case *array.Float16:
		return cmp.Compare(a.Value(x.row).Float32(), y.arr.(*array.Float16).Value(y.row).Float32())
	case *array.Float32:
		return cmp.Compare(a.Value(x.row), y.arr.(*array.Float32).Value(y.row))
	case *array.Float64:
		return cmp.Compare(a.Value(x.row), y.arr.(*array.Float64).Value(y.row))
	case *array.Decimal128:
		return a.Value(x.row).Cmp(y.arr.(*array.Decimal128).Value(y.row))
	case *array.Decimal256:
		return a.Value(x.row).Cmp(y.arr.(*array.Decimal256).Value(y.row))
	case interface{ Value(int) string }:
		return cmp.Compare(a.Value(x.row), y.arr.(interface{ Value(int) string }).Value(y.row))
	case interface{ Value(int) []byte }:
		return bytes.Compare(a.Value(x.row), y.arr.(interface{ Value(int) []byte }).Value(y.row))
	}
	return cmp.Compare(integerOf(x), integerOf(y))
}

// integerOf is an integer or a temporal value, moved so that unsigned ones fit.
func integerOf(c cell) int64 {
	data := c.arr.Data()
	width := c.arr.DataType().(arrow.FixedWidthDataType).Bytes()
	b := data.Buffers()[1].Bytes()[(data.Offset()+c.row)*width:]
	unsigned := arrow.IsUnsignedInteger(c.arr.DataType().ID())
	switch {
	case width == 1 && unsigned:
		return int64(b[0])
	case width == 1:
		return int64(int8(b[0]))
	case width == 2 && unsigned:
		return int64(binary.LittleEndian.Uint16(b))
	case width == 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case width == 4 && unsigned:
		return int64(binary.LittleEndian.Uint32(b))
	case width == 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case unsigned:
		return int64(binary.LittleEndian.Uint64(b) ^ 1<<63)
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// argsort is the reference: the rows of n in the order of the columns, each under its key.
func argsort(n int, columns [][]cell, keys []arrowsort.Key) []uint64 {
	rows := make([]uint64, n)
	for i := range rows {
		rows[i] = uint64(i)
	}
	slices.SortStableFunc(rows, func(a, b uint64) int {
		for k, column := range columns {
			if c := compareCells(column[a], column[b], keys[k]); c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}
