package tablefile

import (
	"os"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// ClaimsOrder says whether a file may be sorted by some columns, as far as its metadata tells: it is a Parquet file, has the columns, none
// of which can be NaN, and its row groups do not overlap in the first of them. It is false for what it cannot tell.
func ClaimsOrder(path string, columns []SortingColumn) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	claims := false
	err = contain(func() error {
		f, err := openParquet(file, info.Size(), ReadOptions{Allocator: memory.DefaultAllocator})
		if err == nil {
			claims = known(f.file.MetaData(), columns) && groupsInOrder(f.file.MetaData(), columns[0])
		}
		return err
	})
	return claims && err == nil
}

// known says whether a file has columns whose order it can name.
func known(meta *metadata.FileMetaData, columns []SortingColumn) bool {
	for _, c := range columns {
		leaf := leafAt(meta, c.Path)
		if leaf < 0 {
			return false
		}
		column := meta.Schema.Column(leaf)
		_, half := column.LogicalType().(schema.Float16LogicalType)
		if physical := column.PhysicalType(); half || physical == parquet.Types.Float || physical == parquet.Types.Double {
			return false
		}
	}
	return len(columns) > 0
}

// groupsInOrder says whether the bounds of each row group lie behind those of the group before. Groups of nulls do not count.
func groupsInOrder(meta *metadata.FileMetaData, by SortingColumn) bool {
	leaf := leafAt(meta, by.Path)
	compare := valueOrder(meta.Schema.Column(leaf))
	if compare == nil {
		return false
	}
	var last []byte
	for _, group := range meta.RowGroups {
		s := group.Columns[leaf].MetaData.Statistics
		switch {
		case s == nil || s.NullCount == nil:
			return false
		case *s.NullCount == group.NumRows:
			continue
		case s.MinValue == nil || s.MaxValue == nil:
			return false
		}
		low, high := s.MinValue, s.MaxValue
		if by.Descending {
			low, high = high, low
		}
		if last != nil {
			if order := compare(last, low); order > 0 && !by.Descending || order < 0 && by.Descending {
				return false
			}
		}
		last = high
	}
	return true
}
