package main

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// CSV that is sorted to CSV keeps its values as they are written: columns of numbers and times are text, and the keys among them are
// there a second time with their types, behind all columns that are written.

// keysTyped has the keys find their columns with types.
func (j *job) keysTyped() {
	var columns []int
	for _, k := range j.flags.keys {
		at, _ := k.locate(j.input.Schema) // which was done before
		columns = append(columns, at)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(columns)))
	for i := range j.keys {
		j.keys[i].Path, j.keys[i].Index = "", j.input.Typed[slices.Index(sorted, columns[i])]
	}
}

// written is a table without the columns behind those of the input. The caller releases it.
func (j *job) written(table arrow.Table) arrow.Table {
	n := j.input.Schema.NumFields()
	if j.input.Typed == nil {
		table.Retain()
		return table
	}
	columns := make([]arrow.Column, n)
	for i := range columns {
		columns[i] = *table.Column(i)
	}
	return array.NewTable(arrow.NewSchema(table.Schema().Fields()[:n], nil), columns, table.NumRows())
}
