package adapter

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
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
