package parquetsort

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Format is the format of a file.
type Format string

// The formats.
const (
	Auto        Format = "" // by the file's name
	Parquet     Format = "parquet"
	Arrow       Format = "arrow"  // an Arrow IPC file
	ArrowStream Format = "arrows" // an Arrow IPC stream
	CSV         Format = "csv"
)

// A Compression is a codec, or a codec and its level as in "zstd:19".
type Compression string

// The codecs. Arrow has Zstd and LZ4 only.
const (
	Uncompressed Compression = "none"
	Snappy       Compression = "snappy"
	Gzip         Compression = "gzip"
	Brotli       Compression = "brotli"
	Zstd         Compression = "zstd"
	LZ4          Compression = "lz4"
)

// Level returns a codec with a level.
func (c Compression) Level(level int) Compression {
	return Compression(fmt.Sprintf("%s:%d", c, level))
}

// An Encoding is how the values of a column are stored in Parquet: by its name in the format, PLAIN, RLE_DICTIONARY,
// DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY or BYTE_STREAM_SPLIT, or how it is chosen.
type Encoding string

// How encodings are chosen. Both take plain values or a dictionary, as the first Parquet input has one or not.
const (
	// AutoEncoding tries the other encodings, too, on a sample of each column of a row group, and takes the one of the
	// fewest bytes. It takes those only that the readers in docs/parquet.md have.
	AutoEncoding Encoding = "auto"
	// CompatibleEncoding takes no others.
	CompatibleEncoding Encoding = "compatible"
)

// encodings returns the encodings for package tablefile.
func (o *Output) encodings() (e tablefile.Encodings, err error) {
	switch o.Encoding {
	case "", AutoEncoding:
	case CompatibleEncoding:
		e.Compatible = true
	default:
		return e, fmt.Errorf("%w: Encoding is %q: use %s or %s, and Encodings for one column", errOption, o.Encoding,
			AutoEncoding, CompatibleEncoding)
	}
	for column, name := range o.Encodings {
		number, err := tablefile.ParseEncoding(string(name))
		if err != nil {
			return e, fmt.Errorf("%w: Encodings of column %q: %w", errOption, column, err)
		}
		if e.Columns == nil {
			e.Columns = map[string]int{}
		}
		e.Columns[column] = number
	}
	return e, nil
}

// A BloomFilter asks for a filter of a column: of its distinct values, in split blocks as Parquet defines them. Column
// is a name, #N by position, or a path as tags.list.element; boolean columns have none. FalsePositives is the
// probability that a row group without a value is read for it, from 0.000001 to 0.5; 0 is 0.01. With that a filter has
// 1.2 to 2.4 bytes for each distinct value of the row group.
type BloomFilter = tablefile.BloomFilter

// choosesPages reports whether pages are to be other than those of the inputs may be, or are to have Bloom filters.
func (o *Output) choosesPages() bool {
	return o.RowGroupRows > 0 || o.PageRows > 0 || o.PageVersion > 0 || len(o.Encodings) > 0 ||
		o.Encoding == CompatibleEncoding || len(o.BloomFilters) > 0
}

// checkNoParquet finds what only Parquet has, but for what tablefile.CheckWrite finds.
func (o *Output) checkNoParquet() error {
	switch {
	case o.PageVersion > 0:
		return fmt.Errorf("%w: PageVersion is %d, and only Parquet has pages", errOption, o.PageVersion)
	case o.Encoding != "" || len(o.Encodings) > 0:
		return fmt.Errorf("%w: Encoding or Encodings are set, and only Parquet has encodings", errOption)
	}
	return nil
}
