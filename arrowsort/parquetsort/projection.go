package parquetsort

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// readKeysOnly has only the columns of the keys read. Keys by position are changed to positions among those.
func (in *inputs) readKeysOnly() {
	in.readOnly(in.keyColumns())
}

// readOnly has only some columns read, in the order of the schema, with those of the keys among them.
func (in *inputs) readOnly(columns []int) {
	keys := slices.Clone(in.opts.Keys)
	for i, key := range keys {
		if key.Path == "" {
			keys[i].Index = slices.Index(columns, key.Index)
		}
	}
	in.opts.Keys = keys
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

// projectionOf are the columns that are read of a file, which has columns of the same names in any order; if names are
// not unique, in the same order.
func (in *inputs) projectionOf(schema *arrow.Schema) []int {
	if columnsEqual(in.all, schema) {
		return in.projected
	}
	var columns []int
	for _, c := range in.projected {
		columns = append(columns, schema.FieldIndices(in.all.Field(c).Name)...)
	}
	return columns
}

// columnOf is the column that a key, which there is, lies in: the one that has its path as name, or else the longest
// part of it before a dot.
func (in *inputs) columnOf(key arrowsort.Key) int {
	for end := len(key.Path); end > 0; end = strings.LastIndexByte(key.Path[:end], '.') {
		if at := in.schema.FieldIndices(key.Path[:end]); len(at) > 0 {
			return at[0]
		}
	}
	return key.Index
}
