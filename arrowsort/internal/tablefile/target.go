package tablefile

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// CheckTarget returns why no file can be written at a path, before the work that it is to hold is done. The error names
// the file.
func CheckTarget(path string) error {
	if path == Pipe {
		return nil
	}
	return nameFile(path, "standard output", atomicfile.Check(path))
}

// Replaces reports whether a file is made for what is written to a path; devices and open files are there already.
func Replaces(path string) bool { return path != Pipe && atomicfile.Replaces(path) }

// OutputPath is Pipe for a path that stands for this process's standard output, such as /dev/stdout; else the path.
func OutputPath(path string) string {
	if atomicfile.IsStdout(path) {
		return Pipe
	}
	return path
}

// CheckOwnOutput makes sure that a file is an output of an earlier sort: a Parquet file that names its creator. Other
// formats have no place for that. The error names the file.
func CheckOwnOutput(path string) error {
	if !createdHere(path) {
		return fmt.Errorf("%s exists and is not known to be an output of an earlier sort, which only Parquet files "+
			"say: move it, or choose another output", path)
	}
	return nil
}

func createdHere(path string) bool {
	s, err := Scan(path, 0, ReadOptions{Format: Parquet})
	if err != nil {
		return false
	}
	defer s.Close()
	return s.Template.CreatedHere()
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
	if o.RowGroupRows != 0 || o.PageRows != 0 || o.PageVersion != 0 {
		return errors.New("only Parquet has row groups and pages")
	}
	if o.Encodings.Compatible || o.Encodings.Columns != nil {
		return errors.New("only Parquet has encodings")
	}
	if len(o.BloomFilters) > 0 {
		return errors.New("only Parquet has Bloom filters")
	}
	return nil
}

// CheckWrite finds out whether a path can be written with the options, as far as one can tell beforehand.
func CheckWrite(path string, opts WriteOptions) error {
	return nameFile(path, "standard output", opts.check(path))
}
