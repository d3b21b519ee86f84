package page

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// Magic are the first and the last bytes of a file.
const Magic = "PAR1"

// Encodings of parquet.thrift.
const (
	Plain           = 0
	PlainDictionary = 2
	RLE             = 3
	bitPacked       = 4 // of levels, in old files
	RLEDictionary   = 8
	LastEncoding    = 9 // BYTE_STREAM_SPLIT; later ones are unknown here
)

// NamesEncoding reports whether an encoding is among those of a column chunk. The indices of a dictionary have two
// numbers.
func NamesEncoding[E ~int64](encodings []E, encoding int) bool {
	return slices.ContainsFunc(encodings, func(e E) bool {
		return int(e) == encoding || encoding == RLEDictionary && e == PlainDictionary ||
			encoding == PlainDictionary && e == RLEDictionary
	})
}

// Codecs are the compressions by name.
var Codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"brotli": compress.Codecs.Brotli, "zstd": compress.Codecs.Zstd, "lz4": compress.Codecs.Lz4Raw,
}
