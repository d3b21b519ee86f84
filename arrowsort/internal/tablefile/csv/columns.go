package tablefile

import "github.com/apache/arrow/go/v15/arrow"

// csvColumns are the columns that are made of the values of CSV.
type csvColumns struct {
	fields []arrow.Field
	from   []int // where their values are in a line
}

func newCSVColumns(schema *arrow.Schema) *csvColumns {
	c := &csvColumns{}
	for i, f := range schema.Fields() {
		c.fields, c.from = append(c.fields, f), append(c.from, i)
	}
	return c
}

// verbatim makes text of the columns with values that can be written in several ways, as 2.50 and 2.5, and puts the chosen ones
// among them behind all others, with their types. It returns where the chosen columns are.
func (c *csvColumns) verbatim(chosen []int) (typed []int) {
	for _, i := range chosen {
		at := i
		if !writtenOneWay(c.fields[i].Type) {
			at = len(c.fields)
			c.fields, c.from = append(c.fields, c.fields[i]), append(c.from, i)
		}
		typed = append(typed, at)
	}
	for i, from := range c.from {
		if i == from && !writtenOneWay(c.fields[i].Type) {
			c.fields[i].Type = arrow.BinaryTypes.String
		}
	}
	return typed
}

// writtenOneWay says whether all values of a type of csvTypes are written as they were read.
func writtenOneWay(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.DATE32, arrow.STRING:
		return true
	}
	return false
}
