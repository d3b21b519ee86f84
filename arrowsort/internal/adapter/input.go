package adapter

import (
	"reflect"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// An Input is a record, a table, an array or a chunked array, as columns. It borrows the arrays.
type Input struct {
	Rows    int
	Columns []Column
}

// A Column is a column of an input. Its chunks may hold more rows than the input, which Arrow allows; the rest is not
// read.
type Column struct {
	Name   string
	Type   arrow.DataType
	Chunks []arrow.Array
}

// Label is how errors and plans call a column: by its name, or by its position when it has none.
func (in *Input) Label(column int) string {
	if name := in.Columns[column].Name; name != "" {
		return name
	}
	return "#" + strconv.Itoa(column)
}

// A Leaf is a column that is a sort key by itself: a column of the input, or a field within its structs.
type Leaf struct {
	Path []int // the column's position in the input, then the position of each field below it
	Name string
	Type arrow.DataType
}

// Slice is rows from..to-1 of an array, see arraydata.Slice. It fails for a malformed array.
func Slice(a arrow.Array, from, to int64) (slice arrow.Array, err error) {
	defer arraydata.Guard(&err)
	return arraydata.Slice(a, from, to), nil
}

// SliceRecord is Slice for all columns of a record.
func SliceRecord(rec arrow.Record, from, to int64) (slice arrow.Record, err error) {
	defer arraydata.Guard(&err)
	columns := make([]arrow.Array, 0, rec.NumCols())
	defer func() { ReleaseAll([][]arrow.Array{columns}) }()
	for _, a := range rec.Columns() {
		columns = append(columns, arraydata.Slice(a, from, to))
	}
	return array.NewRecord(rec.Schema(), columns, to-from), nil
}

// IsNil reports whether x is nil, or an interface that holds a nil pointer.
func IsNil(x any) bool {
	v := reflect.ValueOf(x)
	return x == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Repeated returns two positions of one and the same value, if there is one; ok is false if not.
func Repeated[T any](values []T) (first, second int, ok bool) {
	seen := map[any]int{}
	for i, v := range values {
		if !reflect.ValueOf(v).Comparable() {
			continue
		}
		if at, again := seen[v]; again {
			return at, i, true
		}
		seen[v] = i
	}
	return 0, 0, false
}
