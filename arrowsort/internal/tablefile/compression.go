package tablefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// ErrCompression is returned for a compression that does not exist or that the format does not have.
var ErrCompression = errors.New("unsupported compression")

// A Compression is a codec and its level. The zero value keeps the compression of a Parquet input, column by column,
// and else is zstd for Parquet and none for Arrow IPC.
type Compression struct {
	Codec string // none, snappy, gzip, brotli, zstd, lz4; empty: keep
	Level int    // 0: the codec's default; level 1 of zstd
}

// maxLevels are the highest levels of the codecs that have levels.
var maxLevels = map[string]int{"gzip": 9, "brotli": 11, "zstd": 22}

// ParseCompression reads CODEC or CODEC:LEVEL, such as zstd:3.
func ParseCompression(s string) (Compression, error) {
	if s == "" {
		return Compression{}, nil
	}
	codec, level, leveled := strings.Cut(strings.ToLower(s), ":")
	c := Compression{Codec: codec}
	if !parquet.HasCodec(codec) {
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

// check finds options that do not fit the format, before any work.
func (o *WriteOptions) check(path string) error {
	format, err := o.Format.Resolve(path)
	if err != nil {
		return err
	}
	if isCompressed(path) {
		return fmt.Errorf("files are not written compressed as a whole: leave out %s, or pipe: "+
			"--output-format %s -o - | gzip > FILE",
			filepath.Ext(path), format)
	}
	c := o.Compression
	switch format {
	case Parquet:
		return nil
	case IPCFile, IPCStream:
		if c.Codec != "" && c.Codec != "none" && c.Codec != "zstd" && c.Codec != "lz4" || c.Level != 0 {
			return fmt.Errorf("%w: Arrow IPC has none, zstd and lz4, without levels", ErrCompression)
		}
	case CSV:
		if c.Codec != "" && c.Codec != "none" {
			return fmt.Errorf("%w: CSV is not compressed", ErrCompression)
		}
	}
	if o.Rows != nil {
		return errors.New("only Parquet is written by row numbers")
	}
	if o.RowGroupRows != 0 || o.PageRows != 0 {
		return errors.New("only Parquet has row groups and pages")
	}
	return nil
}

// CheckWrite finds out whether a path can be written with the options, as far as one can tell beforehand.
func CheckWrite(path string, opts WriteOptions) error {
	if err := opts.check(path); err != nil {
		return nameFile(path, "standard output", err)
	}
	return nil
}
