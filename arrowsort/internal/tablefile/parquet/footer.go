package parquet

import (
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// checkMagic distinguishes a file that was cut off, or is something else, from one that is broken inside.
func checkMagic(src io.ReaderAt, size int64) error {
	if size < 12 {
		return fileerror.Corrupt("%d bytes are too few for a Parquet file", size)
	}
	var head, tail [4]byte
	if _, err := src.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := src.ReadAt(tail[:], size-4); err != nil {
		return err
	}
	switch {
	case string(head[:]) == "PARE" || string(tail[:]) == "PARE":
		return fileerror.Corrupt("encrypted Parquet files are not supported")
	case string(head[:]) != page.Magic:
		return fileerror.Corrupt("not a Parquet file")
	case string(tail[:]) != page.Magic:
		return fileerror.Corrupt("the Parquet footer is missing, the file is cut off")
	}
	return nil
}

// checkFooter makes sure that what the footer says lies in the file and adds up, before anything relies on it. It sets
// the rows of a file whose footer counts none to those of its row groups.
func checkFooter(meta *metadata.FileMetaData, size int64) error {
	columns := meta.Schema.NumColumns()
	total := int64(0)
	for g, group := range meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > math.MaxInt64-total {
			return fileerror.Corrupt("row group %d has %d rows", g, group.NumRows)
		}
		total += group.NumRows
		if len(group.Columns) != columns {
			return fileerror.Corrupt("row group %d has %d columns, the schema has %d", g, len(group.Columns), columns)
		}
		for c, chunk := range group.Columns {
			if chunk.MetaData == nil || chunk.CryptoMetadata != nil {
				return fileerror.Corrupt("column %d of row group %d is encrypted or has no metadata", c, g)
			}
			if chunk.FilePath != nil && *chunk.FilePath != "" {
				return fileerror.Corrupt("column %d of row group %d lies in another file, %q", c, g, *chunk.FilePath)
			}
			m := chunk.MetaData
			start := page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			outside := start < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > size ||
				start > size-m.TotalCompressedSize
			if outside && group.NumRows > 0 { // without rows there are no pages, and no offsets of them
				return fileerror.Corrupt("column %d of row group %d lies outside the file", c, g)
			}
			if int(m.Type) != int(meta.Schema.Column(c).PhysicalType()) {
				return fileerror.Corrupt("column %d of row group %d is not of the type in the schema", c, g)
			}
			flat := meta.Schema.Column(c).MaxRepetitionLevel() == 0
			if m.NumValues < 0 || flat && m.NumValues != group.NumRows {
				return fileerror.Corrupt("column %d of row group %d has %d values in %d rows", c, g, m.NumValues,
					group.NumRows)
			}
		}
	}
	if meta.NumRows == 0 { // old writers left it so
		meta.NumRows = total
	}
	if total != meta.NumRows {
		return fileerror.Corrupt("the row groups have %d rows, the file says %d", total, meta.NumRows)
	}
	return nil
}
