package writer

import (
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// SetStatistics gives a column chunk the statistics of its pages, in place of others.
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

// fresh makes a struct of the footer whose type has no name here.
func fresh[T any](field **T) *T {
	*field = new(T)
	return *field
}

// setEnum sets a number of the footer whose type has no name here.
func setEnum[T ~int64, V ~int | ~int64](field *T, v V) { *field = T(v) }
