package icebergsort

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// The kinds of errors, for errors.Is, in addition to those of package parquetsort.
var (
	// ErrOption is returned for an option that makes no sense, and for a column or a table that is not there.
	ErrOption = arrowsort.ErrOption
	// ErrUnsupported is returned, before any work, for a table that cannot be rewritten: of a version, a format or a
	// place of files that is not supported.
	ErrUnsupported = parquetsort.ErrUnsupported
	// ErrConflict is returned when others have changed the table meanwhile in a way that the rewrite would undo.
	// Nothing was committed: run it again.
	ErrConflict = errors.New("icebergsort: the table has changed meanwhile; run it again")
	// ErrUnknown is returned when it could not be found out whether the catalog took the commit. New files stay.
	ErrUnknown = errors.New("icebergsort: the catalog did not say whether it took the commit")
)

// Options say how Rewrite works. The zero value rewrites all files in the sort order of the table.
type Options struct {
	// Sort is the order of the rows, as in
	//
	//	origin, "arrival time" desc nulls last
	//
	// Nulls are first in ascending order and last in descending order where the text does not say. Empty is the sort
	// order of the table.
	Sort string
	// Curve orders the rows along a space-filling curve over 2 to 8 columns of Sort, in place of their order.
	Curve arrowsort.Curve
	// Where chooses the files that may have rows that pass a filter, by their partition and their bounds: comparisons
	// of a column with a value, joined by and, as in origin = 'ORD' and date >= '2001-03-01'. All rows of these files
	// are rewritten. Empty chooses all files.
	Where string
	// MinDepth, of 2 or more, chooses of these the files that share a value of the first column of Sort with MinDepth-1
	// others of their partition at least, by their bounds; 0 chooses all.
	MinDepth int
	// TargetFileSize is the size of the new files in bytes; 0 is the table's write.target-file-size-bytes, or 512 MiB.
	TargetFileSize int64
	// DryRun has nothing written: Result says what would be.
	DryRun bool

	Memory  parquetsort.Memory // how much memory is used, and where runs are spilled
	Threads int                // the largest number of threads of the CPU to use; 0 is GOMAXPROCS
	// Progress, when set, is called now and then with what is being done, for one partition after the other.
	Progress func(phase parquetsort.Phase, done, total int64)
}

const (
	targetFileSize        = "write.target-file-size-bytes"
	defaultTargetFileSize = 512 << 20
)

// check finds options that make no sense without a table.
func (o *Options) check() error {
	switch {
	case o.MinDepth < 0 || o.MinDepth == 1:
		return fmt.Errorf("%w: a depth of %d: files that share a value are 2 at least", ErrOption, o.MinDepth)
	case o.TargetFileSize < 0:
		return fmt.Errorf("%w: a target file size of %d bytes", ErrOption, o.TargetFileSize)
	case o.Threads < 0:
		return fmt.Errorf("%w: %d threads", ErrOption, o.Threads)
	}
	return nil
}

// target returns the size of new files.
func (o *Options) target(properties iceberg.Properties) (int64, error) {
	if o.TargetFileSize > 0 {
		return o.TargetFileSize, nil
	}
	size := properties.GetInt64(targetFileSize, defaultTargetFileSize)
	if size <= 0 {
		return 0, fmt.Errorf("%w: the table's property %s is %d", ErrUnsupported, targetFileSize, size)
	}
	return size, nil
}

// codecs are the values of the property write.parquet.compression-codec, in any case.
var codecs = map[string]parquetsort.Compression{
	"zstd": parquetsort.Zstd, "snappy": parquetsort.Snappy, "gzip": parquetsort.Gzip, "brotli": parquetsort.Brotli,
	"lz4": parquetsort.LZ4, "uncompressed": parquetsort.Uncompressed, "none": parquetsort.Uncompressed,
}

const (
	compressionCodec = "write.parquet.compression-codec"
	compressionLevel = "write.parquet.compression-level"
	pageRowLimit     = "write.parquet.page-row-limit"
)

// output returns how files are written by the properties of the table. Without them the codec is that of the first of
// the old files.
func output(properties iceberg.Properties) (parquetsort.Output, error) {
	out := parquetsort.Output{Format: parquetsort.Parquet}
	if name, ok := properties[compressionCodec]; ok {
		if out.Compression, ok = codecs[strings.ToLower(name)]; !ok {
			return out, fmt.Errorf("%w: the table's property %s is %q", ErrUnsupported, compressionCodec, name)
		}
		leveled := out.Compression == parquetsort.Zstd || out.Compression == parquetsort.Gzip ||
			out.Compression == parquetsort.Brotli
		if level := properties.GetInt(compressionLevel, -1); level >= 0 && leveled {
			out.Compression = out.Compression.Level(level)
		}
	}
	out.PageRows = properties.GetInt(pageRowLimit, 0)
	return out, nil
}
