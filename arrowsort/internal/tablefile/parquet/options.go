package parquet

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// ReadOptions are the options of Open.
type ReadOptions = reader.Options

// EncodeOptions are those of WriteOptions that concern columns.
type EncodeOptions = writer.Options

// Magic are the first and the last bytes of a file.
const Magic = page.Magic

// The numbers of rows of a page at most, and of a row group, when no others are asked for.
const (
	DefaultPageRows     = writer.DefaultPageRows
	DefaultRowGroupRows = writer.DefaultRowGroupRows
)

// HasCodec reports whether there is a codec of a name.
func HasCodec(name string) bool {
	_, ok := page.Codecs[name]
	return ok
}
