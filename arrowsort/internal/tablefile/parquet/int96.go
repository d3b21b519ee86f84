package parquet

import (
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// int96AsBytes makes the timestamps of 96 bits in a footer bytes of that length, as which they are read. It returns the
// units that they are to have by leaf column.
func int96AsBytes(src io.ReaderAt, meta *metadata.FileMetaData, mem memory.Allocator) (map[int]arrow.TimeUnit, error) {
	units := make(map[int]arrow.TimeUnit)
	for leaf := range meta.Schema.NumColumns() {
		if meta.Schema.Column(leaf).PhysicalType() == parquet.Types.Int96 {
			units[leaf] = arrow.Microsecond
		}
	}
	if len(units) == 0 {
		return nil, nil
	}
	elements, leaf := slices.Clone(meta.FileMetaData.Schema), 0
	for i, e := range elements[1:] {
		if e.GetNumChildren() > 0 {
			continue
		}
		if _, ok := units[leaf]; ok {
			bytes := *e
			setNumber(&bytes.Type, int64(parquet.Types.FixedLenByteArray))
			bytes.TypeLength, bytes.LogicalType, bytes.ConvertedType = new(int32(reader.Int96Bytes)), nil, nil
			elements[1+i] = &bytes
			for _, group := range meta.RowGroups {
				group.Columns[leaf].MetaData.Type = *bytes.Type
			}
		}
		leaf++
	}
	root, err := schema.FromParquet(elements)
	if err != nil {
		return nil, errkind.Corrupt("%v", err)
	}
	meta.FileMetaData.Schema, meta.Schema = elements, schema.NewSchema(root.(*schema.GroupNode))
	for leaf := range units {
		if !writtenBySpark(meta) {
			if units[leaf], err = reader.Int96Unit(src, meta, leaf, mem); err != nil {
				return nil, err
			}
		}
	}
	return units, nil
}

// setNumber sets a number of the footer whose type has no name here.
func setNumber[T ~int64](field **T, v int64) { *field = new(T(v)) }

// writtenBySpark reports whether Spark wrote a file: its timestamps are microseconds, so that all files of a table have
// the same type.
func writtenBySpark(meta *metadata.FileMetaData) bool {
	for _, pair := range meta.KeyValueMetadata() {
		if strings.HasPrefix(pair.Key, "org.apache.spark.") {
			return true
		}
	}
	return false
}
