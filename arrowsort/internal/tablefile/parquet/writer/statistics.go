package writer

import (
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// SetStatistics replaces the statistics of a column chunk by those of its pages.
func SetStatistics(footer *metadata.FileMetaData, group, leaf int, x *page.Index) {
	all := x.Bounds()
	s := fresh(&footer.RowGroups[group].Columns[leaf].MetaData.Statistics)
	s.NullCount = &all.Nulls
	if !all.AllNull && !all.NoBounds && max(len(all.Min), len(all.Max)) <= page.LongestStatistic {
		s.MinValue, s.MaxValue = all.Min, all.Max
		if x.Column.SortOrder() == schema.SortSIGNED {
			s.Min, s.Max = all.Min, all.Max // where old readers look
		}
	}
}

// fresh sets a field of the footer to a new struct, whose type is internal to Arrow.
func fresh[T any](field **T) *T {
	*field = new(T)
	return *field
}

// setEnum sets a field of the footer, whose type is internal to Arrow.
func setEnum[T ~int64, V ~int | ~int64](field *T, v V) { *field = T(v) }
