package parquetsort

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// readKeysOnly has only the columns of the keys read. Keys by position are changed to positions among those.
func (in *inputs) readKeysOnly() {
	in.readOnly(in.keyColumns())
}

// readOnly has only some columns read, in the order of the schema, with those of the keys among them.
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

// keyColumns are the columns of the keys, in the order of the schema.
func (in *inputs) keyColumns() []int {
	var columns []int
	for _, key := range in.opts.Keys {
		columns = append(columns, in.columnOf(key))
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// projectionOf are the columns that are read of a file, nil for all. The file has columns of the same names in any
// order; if names are not unique, in the same order.
func (in *inputs) projectionOf(schema *arrow.Schema) []int {
	if in.projected == nil || columnsEqual(in.all, schema) {
		return in.projected
	}
	var columns []int
	for _, c := range in.projected {
		columns = append(columns, schema.FieldIndices(in.all.Field(c).Name)...)
	}
	return columns
}

// columnOf is the column that a key, which there is, lies in: the one that has its path as name, or else the longest
// start of it from which the rest leads to a field, as in package arrowsort.
func (in *inputs) columnOf(key arrowsort.Key) int {
	if at, found := leadingField(in.schema.Fields(), key.Path); found && key.Path != "" {
		return at
	}
	at, _ := key.At.Index()
	return at
}

func leadingField(fields []arrow.Field, path string) (at int, found bool) {
	for end := len(path); end >= 0; end = strings.LastIndexByte(path[:end], '.') {
		at := slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == path[:end] })
		if at < 0 {
			continue
		}
		if end == len(path) {
			return at, true
		}
		if s, ok := adapter.StructOf(fields[at].Type); ok {
			if _, found := leadingField(s.Fields(), path[end+1:]); found {
				return at, true
			}
		}
	}
	return 0, false
}

// selectColumns has only the columns read that Options.Select names, or that the keys lie in.
func (in *inputs) selectColumns() error {
	if len(in.opts.Select) == 0 {
		return nil
	}
	var written []int
	for _, name := range in.opts.Select {
		at := slices.DeleteFunc(in.schema.FieldIndices(name), func(i int) bool { return i >= in.columns })
		for i := range in.columns {
			if len(at) == 0 && arraydata.Label(i) == name {
				at = []int{i}
			}
		}
		if len(at) != 1 {
			return fmt.Errorf("%w: Select: %d columns are named %q", errOption, len(at), name)
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
