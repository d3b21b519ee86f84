package tablefile

import (
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// setStatistics gives a column chunk the statistics of its pages, in place of others.
func setStatistics(footer *metadata.FileMetaData, group, leaf int, x *pageIndex) {
	all := x.bounds()
	s := fresh(&footer.RowGroups[group].Columns[leaf].MetaData.Statistics)
	s.NullCount = &all.nulls
	if !all.empty && !all.unknown && max(len(all.low), len(all.high)) <= longestStatistic {
		s.MinValue, s.MaxValue = all.low, all.high
		if x.column.SortOrder() == schema.SortSIGNED {
			s.Min, s.Max = all.low, all.high // where old readers look
		}
	}
}

// fresh makes a struct of the footer whose type has no name here.
func fresh[T any](field **T) *T {
	*field = new(T)
	return *field
}

// longestStatistic is the bytes of a value up to which it is a bound in the metadata of a column chunk.
const longestStatistic = 4096

// setEnum sets a number of the footer whose type has no name here.
func setEnum[T ~int64](field *T, v compress.Compression) { *field = T(v) }
