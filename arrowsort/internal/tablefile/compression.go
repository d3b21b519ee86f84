package tablefile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// ErrCompression is returned for a compression that does not exist or that the format does not have.
var ErrCompression = errors.New("unsupported compression")

// A Compression is a codec and its level. The zero value keeps the compression of a Parquet input, column by column,
// and else is zstd for Parquet and none for Arrow IPC.
type Compression struct {
	Codec string // none, snappy, gzip, brotli, zstd, lz4; empty: keep
	Level int    // 0: the codec's default; level 1 of zstd
}

// ParseEncoding returns the number of an encoding of Parquet by its name in the format.
func ParseEncoding(name string) (int, error) { return writer.ParseEncoding(name) }

// maxLevels are the highest levels of the codecs that have levels.
var maxLevels = map[string]int{"gzip": 9, "brotli": 11, "zstd": 22}

// ParseCompression reads CODEC or CODEC:LEVEL, such as zstd:3.
func ParseCompression(s string) (Compression, error) {
	if s == "" {
		return Compression{}, nil
	}
	codec, level, leveled := strings.Cut(strings.ToLower(s), ":")
	c := Compression{Codec: codec}
	if _, known := page.Codecs[codec]; !known {
		return c, fmt.Errorf("%w %q: use none, snappy, gzip, brotli, zstd or lz4", ErrCompression, codec)
	}
	if leveled {
		n, err := strconv.Atoi(level)
		if highest := maxLevels[codec]; err != nil || n < 1 || n > highest {
			if highest == 0 {
				return c, fmt.Errorf("%w %q: %s has no levels", ErrCompression, s, codec)
			}
			return c, fmt.Errorf("%w %q: the levels of %s are 1 to %d", ErrCompression, s, codec, highest)
		}
		c.Level = n
	}
	return c, nil
}
