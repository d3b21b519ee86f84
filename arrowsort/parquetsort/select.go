package parquetsort

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// selected are the columns of Options.Select, and all that are read for them: with those of the keys, in the order of
// the schema. Without a selection both are nil.
func (in *inputs) selected() (written, read []int, err error) {
	if len(in.opts.Select) == 0 {
		return nil, nil, nil
	}
	for _, name := range in.opts.Select {
		at := slices.IndexFunc(in.schema.Fields(), func(f arrow.Field) bool { return f.Name == name })
		for i := range in.schema.NumFields() {
			if at < 0 && tablefile.Label(i) == name {
				at = i
			}
		}
		if at < 0 {
			return nil, nil, fmt.Errorf("%w: Select: there is no column %q", ErrOption, name)
		}
		written = append(written, at)
	}
	read = append(in.keyColumns(), written...)
	slices.Sort(read)
	read = slices.Compact(read)
	for _, at := range read {
		if name := in.schema.Field(at).Name; len(in.schema.FieldIndices(name)) > 1 {
			return nil, nil, fmt.Errorf("%w: Select: more than one column is named %q", ErrOption, name)
		}
	}
	return among(written, read), read, nil
}

// among are the positions of some columns among others.
func among(columns, others []int) (at []int) {
	for _, c := range columns {
		at = append(at, slices.Index(others, c))
	}
	return at
}

// selectColumns has only the columns read that are selected, or that the keys lie in.
func (in *inputs) selectColumns() error {
	written, read, err := in.selected()
	if read != nil {
		in.readOnly(read)
		in.written, in.layout = written, nil
	}
	return err
}

// pick is a table with some of its columns; all when columns is nil. The caller releases it.
func pick(table arrow.Table, columns []int) arrow.Table {
	if columns == nil {
		table.Retain()
		return table
	}
	chosen := make([]arrow.Column, len(columns))
	for i, c := range columns {
		chosen[i] = *table.Column(c)
	}
	return array.NewTable(tablefile.Pick(table.Schema(), columns), chosen, table.NumRows())
}
