package parquetsort

import (
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// readKeysOnly has only the columns of the keys read, unless names are not unique. Keys by position are changed to positions
// among those columns.
func (in *inputs) readKeysOnly() {
	var columns []int
	for i := range in.schema.NumFields() {
		if len(in.schema.FieldIndices(in.schema.Field(i).Name)) > 1 {
			return
		}
	}
	at := make([]int, len(in.opts.Keys))
	for i, key := range in.opts.Keys {
		at[i] = in.columnOf(key)
		columns = append(columns, at[i])
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	keys := slices.Clone(in.opts.Keys)
	for i := range keys {
		if keys[i].Path == "" {
			keys[i].Index = slices.Index(columns, at[i])
		}
	}
	in.opts.Keys, in.schema = keys, tablefile.Pick(in.schema, columns)
	for _, field := range in.schema.Fields() {
		in.chosen = append(in.chosen, field.Name)
	}
}

// columnOf is the column that a key, which there is, lies in: the one that has its path as name, or else the longest part of
// it before a dot.
func (in *inputs) columnOf(key arrowsort.Key) int {
	for end := len(key.Path); end > 0; end = strings.LastIndexByte(key.Path[:end], '.') {
		if at := in.schema.FieldIndices(key.Path[:end]); len(at) > 0 {
			return at[0]
		}
	}
	return key.Index
}
