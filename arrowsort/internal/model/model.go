// Package model is the order that arrowsort promises, in the fewest obvious lines: a stable sort with Arrow's
// comparator. Tests compare everything with it; it is slow on purpose.
package model

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// A Key is a column of a table, or a field inside a struct column, and how it is ordered.
type Key struct {
	Column     int
	Fields     []int // the way from a struct column down to a field; empty: the column
	Descending bool
	NullsFirst bool
	Function   func(x any) any       // of the values, none of them null; nil: the values themselves
	Text       func(x, y []byte) int // the order of text; nil: by bytes
}

// Rows returns the row numbers that sort n rows of the columns by the keys, the most significant key first.
func Rows(columns []Column, n int, keys []Key) []uint64 {
	order := NewOrder(columns, keys)
	rows := make([]uint64, n)
	for i := range rows {
		rows[i] = uint64(i)
	}
	slices.SortStableFunc(rows, order.Compare)
	return rows
}

// An Order compares rows of a table.
type Order []leaf

// A leaf is a key without structs: the value of every row, nil for a null.
type leaf struct {
	Key
	values []any
}

// Compare orders rows a and b; 0 is a tie.
func (o Order) Compare(a, b uint64) int {
	for _, key := range o {
		if c := key.compare(key.values[a], key.values[b]); c != 0 {
			return c
		}
	}
	return 0
}

// compare orders two values of a key, or two elements of its values.
func (k Key) compare(x, y any) int {
	c := cmp.Compare(class(x), class(y))
	if k.NullsFirst {
		c = -c
	}
	if c != 0 || class(x) != 0 {
		return c
	}
	switch x := x.(type) {
	case list:
		y := y.(list)
		for i := range min(len(x), len(y)) {
			if c := k.compare(x[i], y[i]); c != 0 {
				return c
			}
		}
		c = cmp.Compare(len(x), len(y))
	case union:
		y := y.(union)
		if x.code == y.code {
			return k.compare(x.value, y.value)
		}
		c = cmp.Compare(x.code, y.code)
	case []byte:
		if c = bytes.Compare(x, y.([]byte)); k.Text != nil {
			c = k.Text(x, y.([]byte))
		}
	default:
		c = compare(x, y)
	}
	if k.Descending {
		c = -c
	}
	return c
}

// Show writes the keys of a row.
func (o Order) Show(row uint64) string {
	text := ""
	for _, key := range o {
		text += fmt.Sprintf("[%v]", key.values[row])
	}
	return text
}

// class is 0 for a value, 1 for NaN, 2 for null.
func class(x any) int {
	switch x := x.(type) {
	case nil:
		return 2
	case float64:
		if math.IsNaN(x) {
			return 1
		}
	}
	return 0
}

// compare orders two values of one type, neither of them null or NaN.
func compare(x, y any) int {
	switch x := x.(type) {
	case bool:
		if x == y.(bool) {
			return 0
		} else if x {
			return 1
		}
		return -1
	case int64:
		return cmp.Compare(x, y.(int64))
	case uint64:
		return cmp.Compare(x, y.(uint64))
	case float64:
		return cmp.Compare(x, y.(float64)) // -0.0 and +0.0 are equal
	case decimal128.Num:
		return x.Cmp(y.(decimal128.Num))
	case decimal256.Num:
		return x.Cmp(y.(decimal256.Num))
	}
	panic(fmt.Sprintf("model: no order for %T", x))
}
