// Package tablefile reads and writes tables: Parquet, Arrow IPC files and streams, CSV.
//
// It is meant for files from anywhere. A corrupted or truncated file ends in an error that names the file: panics of the
// readers are contained, memory that a broken header asks for is bounded, and what was read is validated down to the
// last offset before anything else sees it. Outputs are complete or absent: they are written beside their target, synced
// and renamed.
package tablefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// Pipe is the path of standard input and standard output.
const Pipe = "-"

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

// String is the name that ParseFormat understands.
func (f Format) String() string {
	switch f {
	case Parquet:
		return "parquet"
	case IPCFile:
		return "arrow"
	case IPCStream:
		return "arrows"
	case CSV:
		return "csv"
	}
	return "auto"
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

// Resolve finds the format of a file when none was given: by its name, or a stream for Pipe. ErrFormat when the name tells
// nothing.
func (f Format) Resolve(path string) (Format, error) {
	if f != Auto {
		return f, nil
	}
	if path == Pipe {
		return IPCStream, nil
	}
	if f, ok := extensions[strings.ToLower(filepath.Ext(path))]; ok {
		return f, nil
	}
	return Auto, fmt.Errorf("%w: the name does not end in .parquet, .arrow, .feather, .arrows, .csv or .tsv; name the format: %s", ErrFormat, knownFormats)
}

// delimiter is what separates the values of a CSV file if nothing else is asked for.
func delimiter(path string, asked rune) rune {
	switch {
	case asked != 0:
		return asked
	case strings.EqualFold(filepath.Ext(path), ".tsv"):
		return '\t'
	}
	return ','
}

// resolveInput is Resolve for a file that is read: one that is not there is an error of its own.
func (f Format) resolveInput(path string) (Format, error) {
	format, err := f.Resolve(path)
	if err != nil {
		if _, missing := os.Stat(path); missing != nil {
			return Auto, missing
		}
	}
	return format, err
}
