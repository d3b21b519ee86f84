package parquetsort

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// selected are the columns of the schema that Options.Select names, and all that are read for them: with those of the
// keys, in the order of the schema. Without a selection both are nil.
func (in *inputs) selected() (written, read []int, err error) {
	if len(in.opts.Select) == 0 {
		return nil, nil, nil
	}
	for _, name := range in.opts.Select {
		at := slices.DeleteFunc(in.schema.FieldIndices(name), func(i int) bool { return i >= in.columns })
		for i := range in.columns {
			if len(at) == 0 && tablefile.Label(i) == name {
				at = []int{i}
			}
		}
		if len(at) != 1 {
			return nil, nil, fmt.Errorf("%w: Select: %d columns are named %q", ErrOption, len(at), name)
		}
		written = append(written, at[0])
	}
	read = append(in.keyColumns(), written...)
	slices.Sort(read)
	read = slices.Compact(read)
	return written, read, nil
}

// positionsIn are the positions of some columns among others.
func positionsIn(columns, others []int) (at []int) {
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
		in.written, in.layout = positionsIn(written, read), nil
	}
	return err
}

// sorting is the order of a plan of the keys for the metadata of an output: up to the first key whose column is not
// written, as another column may have its name.
func (in *inputs) sorting(plan *keyencode.Plan) []tablefile.SortingColumn {
	sorting := tablefile.SortingOf(plan)
	for i := range sorting {
		if in.written != nil && !slices.Contains(in.written, in.columnOf(in.opts.Keys[i])) {
			return sorting[:i]
		}
	}
	return sorting
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
	return array.NewTable(arraydata.Pick(table.Schema(), columns), chosen, table.NumRows())
}
