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

// Slice is rows from..to-1 of an array, see SliceChunked. It fails for a malformed array.
func Slice(a arrow.Array, from, to int64) (slice arrow.Array, err error) {
	defer arraydata.Guard(&err)
	return sliceOf(a, from, to), nil
}

// SliceRecord is Slice for all columns of a record.
func SliceRecord(rec arrow.Record, from, to int64) (slice arrow.Record, err error) {
	defer arraydata.Guard(&err)
	columns := make([]arrow.Array, 0, rec.NumCols())
	defer func() { ReleaseAll([][]arrow.Array{columns}) }()
	for _, a := range rec.Columns() {
		columns = append(columns, sliceOf(a, from, to))
	}
	return array.NewRecord(rec.Schema(), columns, to-from), nil
}

// SliceChunked is rows from..to-1 of some chunks, which are not malformed. The parts have a number of nulls also where
// Arrow cannot count them: it panics for slices without validity, as those of an extension type over null.
func SliceChunked(c *arrow.Chunked, from, to int64) *arrow.Chunked {
	var chunks []arrow.Array
	defer func() { ReleaseAll([][]arrow.Array{chunks}) }()
	for _, chunk := range c.Chunks() {
		n := int64(chunk.Len())
		if lo, hi := max(from, 0), min(to, n); lo < hi {
			chunks = append(chunks, sliceOf(chunk, lo, hi))
		}
		from, to = from-n, to-n
	}
	return arrow.NewChunked(c.DataType(), chunks)
}

func sliceOf(a arrow.Array, from, to int64) arrow.Array {
	data := array.NewSliceData(a.Data(), from, to)
	defer data.Release()
	if data.NullN() == array.UnknownNullCount && len(arraydata.Bytes(data, 0)) == 0 {
		nulls := 0
		if arraydata.Storage(data.DataType()).ID() == arrow.NULL {
			nulls = data.Len()
		}
		data.(*array.Data).SetNullN(nulls)
	}
	return array.MakeFromData(data)
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
