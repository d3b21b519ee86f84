package parquet

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// DeclaresOrder reports whether a file, after others with the same columns of which the last value in the order is
// given, nil for none, may be in the order of some columns by its metadata: it has the columns, none of which can be
// NaN, and row groups do not overlap in the first of them. It is false where the metadata do not suffice. It returns
// the last value of all.
func (l *Layout) DeclaresOrder(columns []SortingColumn, last []byte) (next []byte, ok bool) {
	if !known(l.meta, columns) {
		return nil, false
	}
	return groupsInOrder(l.meta, columns[0], last)
}

// known reports whether a file has columns whose order it can name.
func known(meta *metadata.FileMetaData, columns []SortingColumn) bool {
	for _, c := range columns {
		leaf := leafAt(meta, c)
		if leaf < 0 {
			return false
		}
		if mayBeNaN(meta.Schema.Column(leaf)) {
			return false
		}
	}
	return len(columns) > 0
}

// mayBeNaN reports whether the values of a leaf column are floating-point numbers.
func mayBeNaN(column *schema.Column) bool {
	_, half := column.LogicalType().(schema.Float16LogicalType)
	physical := column.PhysicalType()
	return half || physical == parquet.Types.Float || physical == parquet.Types.Double
}

// groupsInOrder reports whether the bounds of each row group follow those of the previous group, the first after a last
// one, and returns the last. Groups of nulls do not count.
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
