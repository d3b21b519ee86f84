package parquet

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A SortingColumn says how the rows of a Parquet file are ordered by a column.
type SortingColumn struct {
	Path       string // of the leaf column, names joined by dots; empty: of none other than Column
	Column     int    // position of the column without a path: its name is empty or not unique
	Descending bool
	NullsFirst bool
}

// setSorting puts the order of the rows into the metadata of all row groups: the columns up to the first that is not
// one leaf column of the file, each once, as a column that is a key twice counts the first time. It returns
// how many keys these are.
func setSorting(footer *metadata.FileMetaData, sorting []SortingColumn) (keys int) {
	var columns []*parquet.SortingColumn
	for _, s := range sorting {
		column := int32(leafAt(footer, s))
		if column < 0 {
			break
		}
		keys++
		named := func(c *parquet.SortingColumn) bool { return c.ColumnIdx == column }
		if !slices.ContainsFunc(columns, named) {
			columns = append(columns, &parquet.SortingColumn{ColumnIdx: column, Descending: s.Descending,
				NullsFirst: s.NullsFirst})
		}
	}
	for _, group := range footer.RowGroups {
		group.SortingColumns = columns
	}
	return keys
}

// grow appends an element whose type has no name here: it is internal to Parquet.
func grow[T any](s []*T) []*T { return append(s, new(T)) }

// leafAt returns the number of the one leaf column that the rows are ordered by, below no list; -1 when there is none
// or are several.
func leafAt(footer *metadata.FileMetaData, by SortingColumn) int {
	found := -1
	for i := range footer.Schema.NumColumns() {
		c := footer.Schema.Column(i)
		if by.Path == "" && columnAt(footer.Schema, i) != by.Column || by.Path != "" && c.Path() != by.Path {
			continue
		}
		if found >= 0 || c.MaxRepetitionLevel() > 0 {
			return -1
		}
		found = i
	}
	return found
}

// columnAt returns the position of the column that is a leaf column; -1 for one inside a column.
func columnAt(sc *schema.Schema, leaf int) int {
	root := sc.Root()
	for i := range root.NumFields() {
		if root.Field(i) == sc.Column(leaf).SchemaNode() {
			return i
		}
	}
	return -1
}

// sortingColumn returns a leaf column of a file as one of an order: by its path if no other has it, or else by its
// position; false for one that has neither.
func sortingColumn(meta *metadata.FileMetaData, leaf int) (by SortingColumn, ok bool) {
	by.Path = meta.Schema.Column(leaf).Path()
	if by.Path != "" && leafAt(meta, by) == leaf {
		return by, true
	}
	by = SortingColumn{Column: columnAt(meta.Schema, leaf)}
	return by, by.Column >= 0
}

// A RowGroup describes a row group, by the footer.
type RowGroup struct {
	Rows           int64
	Bytes          int64           // of the pages in the file
	SortingColumns []SortingColumn // nil: none, or one by columns that there are not
}

// RowGroups returns the row groups of the file.
func (t *Template) RowGroups() []RowGroup {
	groups := make([]RowGroup, len(t.meta.RowGroups))
	for i, group := range t.meta.RowGroups {
		groups[i].Rows = group.NumRows
		for _, chunk := range group.Columns {
			groups[i].Bytes += chunk.MetaData.TotalCompressedSize
		}
		var sorting []SortingColumn
		for _, s := range group.SortingColumns {
			if int(s.ColumnIdx) < 0 || int(s.ColumnIdx) >= t.meta.Schema.NumColumns() {
				sorting = nil
				break
			}
			by, ok := sortingColumn(t.meta, int(s.ColumnIdx))
			if !ok {
				break
			}
			by.Descending, by.NullsFirst = s.Descending, s.NullsFirst
			sorting = append(sorting, by)
		}
		if i > 0 && slices.Equal(sorting, groups[i-1].SortingColumns) {
			sorting = groups[i-1].SortingColumns // there may be many groups
		}
		groups[i].SortingColumns = sorting
	}
	return groups
}

// DeclaresOrder reports whether a file may be in the order of some columns, by its metadata: it has the columns, none
// of which can be NaN, and its row groups do not overlap in the first of them. It is false where the metadata do not
// suffice. last is the last value of the files that precede this one, nil for none; next is that of this one.
func (t *Template) DeclaresOrder(columns []SortingColumn, last []byte) (next []byte, ok bool) {
	for _, c := range columns {
		if leaf := leafAt(t.meta, c); leaf < 0 || page.HoldsFloats(t.meta.Schema.Column(leaf)) {
			return nil, false
		}
	}
	if len(columns) == 0 {
		return nil, false
	}
	return groupsInOrder(t.meta, columns[0], last)
}

// groupsInOrder reports whether the bounds of each row group follow those of the previous group, the first after a last
// one, and returns the last. Groups of nulls do not count. An upper bound that was cut may lie above the next group:
// the lower bound stands for it.
func groupsInOrder(meta *metadata.FileMetaData, by SortingColumn, last []byte) ([]byte, bool) {
	leaf := leafAt(meta, by)
	compare := page.ValueOrder(meta.Schema.Column(leaf))
	if compare == nil {
		return nil, false
	}
	for _, group := range meta.RowGroups {
		s := group.Columns[leaf].MetaData.Statistics
		switch {
		case s == nil || s.NullCount == nil:
			return nil, false
		case *s.NullCount == group.NumRows:
			continue
		case s.MinValue == nil || s.MaxValue == nil:
			return nil, false
		}
		low, high := s.MinValue, s.MaxValue
		if s.IsMaxValueExact != nil && !*s.IsMaxValueExact {
			high = low
		}
		if by.Descending {
			low, high = high, low
		}
		if last != nil {
			if order := compare(last, low); order > 0 && !by.Descending || order < 0 && by.Descending {
				return nil, false
			}
		}
		last = high
	}
	return last, true
}
