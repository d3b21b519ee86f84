package csv

import "github.com/apache/arrow/go/v15/arrow"

// Verbatim makes text of the columns with values that can be written in several ways, as 2.50 and 2.5. Those of them
// that are chosen are appended after all columns, with their types. It returns the positions of the chosen columns.
func (r *Reader) Verbatim(chosen []int) (typed []int) {
	for _, i := range chosen {
		at := i
		if !writtenOneWay(r.fields[i].Type) {
			at = len(r.fields)
			r.fields, r.from = append(r.fields, r.fields[i]), append(r.from, i)
		}
		typed = append(typed, at)
	}
	for i, from := range r.from {
		if i == from && !writtenOneWay(r.fields[i].Type) {
			r.fields[i].Type = arrow.BinaryTypes.String
		}
	}
	return typed
}

// writtenOneWay reports whether all values of one of the types are written as they were read.
func writtenOneWay(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.DATE32, arrow.STRING:
		return true
	}
	return false
}
