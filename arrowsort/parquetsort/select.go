package parquetsort

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// selectColumns has only the columns read that Options.Select names, or that the keys lie in.
func (in *inputs) selectColumns() error {
	if len(in.opts.Select) == 0 {
		return nil
	}
	var written []int
	for _, name := range in.opts.Select {
		at := slices.DeleteFunc(in.schema.FieldIndices(name), func(i int) bool { return i >= in.columns })
		for i := range in.columns {
			if len(at) == 0 && tablefile.Label(i) == name {
				at = []int{i}
			}
		}
		if len(at) != 1 {
			return fmt.Errorf("%w: Select: %d columns are named %q", ErrOption, len(at), name)
		}
		written = append(written, at[0])
	}
	read := append(in.keyColumns(), written...)
	slices.Sort(read)
	read = slices.Compact(read)
	in.readOnly(read)
	in.written, in.layout = nil, nil
	for _, c := range written {
		in.written = append(in.written, slices.Index(read, c))
	}
	return nil
}

// sorting is the order of a plan of the keys for the metadata of an output: up to the first key whose column is not
// written, as another column may have its name.
func (in *inputs) sorting(plan *keyencode.Plan) []tablefile.SortingColumn {
	sorting := tablefile.SortingOf(plan, sortingOf(in.opts.Keys))
	for i := range sorting {
		if in.written == nil {
			break
		}
		at := slices.Index(in.written, in.columnOf(in.opts.Keys[i]))
		if at < 0 {
			return sorting[:i]
		}
		if sorting[i].Path == "" {
			sorting[i].Column = at
		}
	}
	return sorting
}
