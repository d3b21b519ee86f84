// Package tablefile reads and writes tables: Parquet, Arrow IPC files and streams, CSV.
//
// It is the facade of the packages below, which do not import it. It opens and creates files, finds their format by
// name or content, limits their memory, and adds the name of the file to each error. Files may come from anywhere: a
// corrupted or truncated one ends in an error, and all arrays are validated down to the last offset. Outputs are
// complete or removed.
package tablefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A Format is a file format.
type Format uint8

// The formats. Auto goes by the file's name.
const (
	Auto      Format = iota
	Parquet          // .parquet, .pq
	IPCFile          // .arrow, .feather, .ipc
	IPCStream        // .arrows, and standard input and output
	CSV              // .csv, and .tsv with tabs
)

// ErrFormat is returned for a file name or format name that names no format.
var ErrFormat = errors.New("unknown file format")

const knownFormats = "parquet, arrow, arrows (stream) or csv"

var extensions = map[string]Format{
	".parquet": Parquet, ".pq": Parquet,
	".arrow": IPCFile, ".feather": IPCFile, ".ipc": IPCFile,
	".arrows": IPCStream,
	".csv":    CSV, ".tsv": CSV,
}

var formatNames = map[string]Format{
	"parquet": Parquet, "arrow": IPCFile, "feather": IPCFile, "ipc": IPCFile,
	"arrows": IPCStream, "stream": IPCStream, "csv": CSV,
}

// String returns a name that ParseFormat reads.
func (f Format) String() string {
	return [...]string{Auto: "auto", Parquet: "parquet", IPCFile: "arrow", IPCStream: "arrows", CSV: "csv"}[f]
}

// ParseFormat finds a format by name; the empty name is Auto. Unknown names are ErrFormat.
func ParseFormat(name string) (Format, error) {
	if name == "" {
		return Auto, nil
	}
	if f, ok := formatNames[strings.ToLower(name)]; ok {
		return f, nil
	}
	return Auto, fmt.Errorf("%w %q: use %s", ErrFormat, name, knownFormats)
}

// Resolve finds the format of a file when none was given: by its name, without an ending such as .gz, or a stream for
// Pipe. A name that has no known extension is an ErrFormat.
func (f Format) Resolve(path string) (Format, error) {
	if f != Auto {
		return f, nil
	}
	if path == Pipe {
		return IPCStream, nil
	}
	if f, ok := extensions[strings.ToLower(filepath.Ext(withoutCodec(path)))]; ok {
		return f, nil
	}
	return Auto, fmt.Errorf("%w: the name does not end in .parquet, .arrow, .feather, .arrows, .csv or .tsv; "+
		"name the format: %s", ErrFormat, knownFormats)
}

// delimiter returns the delimiter that is asked for, or the default by the name of the file.
func delimiter(path string, asked rune) rune {
	switch {
	case asked != 0:
		return asked
	case strings.EqualFold(filepath.Ext(withoutCodec(path)), ".tsv"):
		return '\t'
	}
	return ','
}

// checkMagic returns an error for an input of another format. It gets the first bytes, headSize of them or all.
func checkMagic(head []byte, format Format) error {
	if c := fileCodecOf(head); c != nil && (format != CSV || c.open == nil) {
		return compressedError(c, format)
	}
	is := sniff(head)
	if is == Auto || is == format {
		return nil
	}
	text := fmt.Sprintf("this is not %s, it looks like %s; give --format %s", titles[format], titles[is], is)
	return errkind.Reword(errkind.ErrCorrupt, text)
}

var titles = map[Format]string{
	Parquet: "a Parquet file", IPCFile: "an Arrow file", IPCStream: "an Arrow stream", CSV: "CSV",
}

// sniff returns the format of an input by its first bytes; Auto if they do not show it, as those of a text that begins
// as a Parquet file does.
func sniff(head []byte) Format {
	const fewest = 5 // bytes, so that a magic word that was cut off is not text
	switch text, isParquet := isText(head), strings.HasPrefix(string(head), page.Magic); {
	case len(head) < fewest || text && isParquet:
		return Auto
	case text:
		return CSV
	case isParquet:
		return Parquet
	case strings.HasPrefix(string(head), ipc.Magic):
		return IPCFile
	case strings.HasPrefix(string(head), "\xff\xff\xff\xff"): // continuation
		return IPCStream
	}
	return Auto
}

// compressedError returns the error for an input that has to be decompressed first.
func compressedError(c *fileCodec, format Format) error {
	return fmt.Errorf("is compressed with %s: decompress it first, or pipe it: "+
		"%s -dc FILE | arrowsort ... --format %s -",
		c.name, c.name, format)
}
