package parquetsort

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/keyencode"
)

// readKeysOnly has only the columns of the keys read. Keys by position are changed to positions among those.
func (in *inputs) readKeysOnly() {
	in.readOnly(in.keyColumns())
}

// readOnly limits reading to some columns, in the order of the schema; those of the keys must be among them.
func (in *inputs) readOnly(columns []int) {
	in.opts.Keys = flagtext.Among(columns, in.opts.Keys)
	in.project(columns)
}

// project has only some columns of the schema read.
func (in *inputs) project(columns []int) {
	chosen := columns
	if in.projected == nil {
		in.all = in.schema
	} else {
		chosen = nil
		for _, c := range columns {
			chosen = append(chosen, in.projected[c])
		}
	}
	in.projected, in.schema = chosen, arraydata.Pick(in.schema, columns)
}

// keyColumns returns the columns of the keys, in the order of the schema.
func (in *inputs) keyColumns() []int {
	var columns []int
	for _, key := range in.opts.Keys {
		columns = append(columns, in.columnOf(key))
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// projectionOf returns the columns that are read of a file, nil for all. The file has columns of the same names in any
// order; if names are not unique, in the same order.
func (in *inputs) projectionOf(schema *arrow.Schema) []int {
	if in.projected == nil || dataset.ColumnsEqual(in.all, schema) {
		return in.projected
	}
	var columns []int
	for _, c := range in.projected {
		columns = append(columns, schema.FieldIndices(in.all.Field(c).Name)...)
	}
	return columns
}

// columnOf returns the column of a key that the schema has.
func (in *inputs) columnOf(key arrowsort.Key) int {
	at, positioned := key.At.Index()
	columns := adapter.OfSchema(in.schema)
	found, err := keypath.Find(&columns, keypath.Key{Path: key.Path, Position: at, HasPosition: positioned})
	if err != nil {
		return at
	}
	return found.Path[0]
}

// selectColumns has only the columns read that Input.Columns names, or that the keys lie in.
func (in *inputs) selectColumns() error {
	if len(in.opts.Input.Columns) == 0 {
		return nil
	}
	var written []int
	for _, name := range in.opts.Input.Columns {
		at := slices.DeleteFunc(in.schema.FieldIndices(name), func(i int) bool { return i >= in.columns })
		for i := range in.columns {
			if len(at) == 0 && arraydata.Label(i) == name {
				at = []int{i}
			}
		}
		if len(at) != 1 {
			return fmt.Errorf("%w: Input.Columns: %d columns are named %q", errOption, len(at), name)
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

// sorting returns the order of a plan of the keys for the metadata of an output: up to the first key whose column is
// not written, as another column may have its name.
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
