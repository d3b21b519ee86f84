package parquet

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// checkEncodings makes sure that the codec and the encodings of all columns are read, before any page is.
func checkEncodings(meta *metadata.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for c, chunk := range group.Columns {
			column, m := meta.Schema.Column(c), chunk.MetaData
			switch codec := compress.Compression(m.Codec); codec {
			case compress.Codecs.Lzo, compress.Codecs.Lz4:
				return fileerror.Unsupported("column %q: compression %s", column.Path(), codec)
			}
			fixed := column.PhysicalType() == parquet.Types.FixedLenByteArray
			for _, e := range m.Encodings {
				if int(e) < page.Plain || int(e) > page.LastEncoding {
					return fileerror.Unsupported("column %q: encoding %d of a newer version of Parquet",
						column.Path(), e)
				}
				if fixed && parquet.Encoding(e) == parquet.Encodings.DeltaByteArray {
					return fileerror.Unsupported("column %q: encoding DELTA_BYTE_ARRAY of values of fixed length",
						column.Path())
				}
			}
		}
	}
	return nil
}
