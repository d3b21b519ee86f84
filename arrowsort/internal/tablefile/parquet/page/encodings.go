package tablefile

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// parquetMagic are the first and the last bytes of a file.
const parquetMagic = "PAR1"

// Encodings of parquet.thrift.
const (
	plainEncoding   = 0
	plainDictionary = 2
	rleEncoding     = 3
	bitPackedLevels = 4 // of levels, in old files
	rleDictionary   = 8
)

// namesEncoding says whether an encoding is among those of a column chunk. The indices of a dictionary have two
// numbers.
func namesEncoding[E ~int64](encodings []E, encoding int) bool {
	return slices.ContainsFunc(encodings, func(e E) bool {
		return int(e) == encoding || encoding == rleDictionary && e == plainDictionary ||
			encoding == plainDictionary && e == rleDictionary
	})
}

// parquetCodecs are the compressions by name.
var parquetCodecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"brotli": compress.Codecs.Brotli, "zstd": compress.Codecs.Zstd, "lz4": compress.Codecs.Lz4Raw,
}
