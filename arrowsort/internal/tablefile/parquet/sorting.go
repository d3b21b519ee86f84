package parquet

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// A SortingColumn says how the rows of a Parquet file are ordered by a column.
type SortingColumn struct {
	Path       string // of the leaf column, names joined by dots
	Descending bool
	NullsFirst bool
}

// setSorting puts the order of the rows into the metadata of all row groups: the columns up to the first that is not
// one leaf column of the file.
func setSorting(footer *metadata.FileMetaData, sorting []SortingColumn) {
	for _, group := range footer.RowGroups {
		group.SortingColumns = group.SortingColumns[:0:0]
		for _, s := range sorting {
			column := leafAt(footer, s.Path)
			if column < 0 {
				break
			}
			group.SortingColumns = grow(group.SortingColumns)
			last := group.SortingColumns[len(group.SortingColumns)-1]
			last.ColumnIdx, last.Descending, last.NullsFirst = int32(column), s.Descending, s.NullsFirst
		}
	}
}

// grow appends an element whose type has no name here: it is internal to Parquet.
func grow[T any](s []*T) []*T { return append(s, new(T)) }

// leafAt is the number of the one leaf column with the path, below no list; -1 when there is none or are several.
func leafAt(footer *metadata.FileMetaData, path string) int {
	found := -1
	for i := range footer.Schema.NumColumns() {
		c := footer.Schema.Column(i)
		if c.Path() != path {
			continue
		}
		if found >= 0 || c.MaxRepetitionLevel() > 0 {
			return -1
		}
		found = i
	}
	return found
}

// Sorting is the order that all row groups of the file name; nil when one has none or another.
func (l *Layout) Sorting() []SortingColumn {
	groups := l.RowGroups()
	for _, g := range groups {
		if !slices.Equal(g.Sorting, groups[0].Sorting) {
			return nil
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return groups[0].Sorting
}

// A RowGroup is what a Parquet file's metadata say of a row group.
type RowGroup struct {
	Rows    int64
	Bytes   int64           // of the pages in the file
	Sorting []SortingColumn // nil: none, or one by columns that there are not
}

// RowGroups are the row groups of the file.
func (l *Layout) RowGroups() []RowGroup {
	groups := make([]RowGroup, len(l.meta.RowGroups))
	for i, group := range l.meta.RowGroups {
		groups[i].Rows = group.NumRows
		for _, chunk := range group.Columns {
			groups[i].Bytes += chunk.MetaData.TotalCompressedSize
		}
		var sorting []SortingColumn
		for _, s := range group.SortingColumns {
			if int(s.ColumnIdx) < 0 || int(s.ColumnIdx) >= l.meta.Schema.NumColumns() {
				sorting = nil
				break
			}
			path := l.meta.Schema.Column(int(s.ColumnIdx)).Path()
			sorting = append(sorting, SortingColumn{path, s.Descending, s.NullsFirst})
		}
		groups[i].Sorting = sorting
	}
	return groups
}
