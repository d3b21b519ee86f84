package dataset

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
)

// Options say how files are opened and read.
type Options struct {
	Format      tablefile.Format     // Auto: by the names of the files
	Delimiter   rune                 // of CSV; 0: a comma, or a tab in .tsv
	NoHeader    bool                 // CSV has no line of column names
	CSVTypes    map[string]*csv.Type // of columns of CSV, in place of those that are inferred
	Stdin       io.Reader            // what tablefile.Pipe reads; nil: os.Stdin
	Open        tablefile.Opener     // of all files; nil: they are local, or in the store
	Store       *tablefile.Elsewhere // of files with addresses; nil: there is none
	Budget      int64                // bytes of memory
	MemoryLimit int64                // of tablefile.ReadOptions
	SpillDir    string               // for copies of pipes
	Threads     int
	Allocator   memory.Allocator
	Progress    func(phase extsort.Phase, done, total int64) // of what is read to open files
	Warn        func(text string)                            // gets what is read otherwise than one may expect
	KeepFooters bool                                         // of Parquet files, for EachFooter

	// Keys, when set, is called with the columns of CSV before their types are found, see csv.Schema.Header: an error
	// about a column that is not there ends Open.
	Keys KeysFor

	selected *rowgroups.Selection // the rows that are read; nil: all
}

// KeysFor returns the sort keys for a schema.
type KeysFor = func(*arrow.Schema) ([]arrowsort.Key, error)

// The phases of Options.Progress.
const (
	PhaseLoad  extsort.Phase = "reading"              // pipes, which are copied
	PhaseTypes extsort.Phase = "finding the types of" // CSV
)

// budget returns all of the memory.
func (o *Options) budget() extsort.Budget { return extsort.Budget{Total: o.Budget, All: o.Budget} }

// reading returns the options to read a file. CSV has the given schema.
func (o *Options) reading(path string, schema *csv.Schema) tablefile.ReadOptions {
	return tablefile.ReadOptions{
		Format: o.formatOf(path), Name: path, Allocator: o.Allocator, Threads: o.Threads, MemoryLimit: o.MemoryLimit,
		Delimiter: o.Delimiter, CSV: schema, MaxRow: o.budget().CSVRow(), Footer: o.budget().Footer(),
		Open:   o.opener(path),
		Ranges: o.selected.Ranges(path),
	}
}

// opener returns how a file is opened; nil: it is a local one.
func (o *Options) opener(path string) tablefile.Opener {
	if o.Open != nil {
		return o.Open
	}
	return o.Store.Opener(path)
}

// formatOf returns the format of a file; Auto when its name names none.
func (o *Options) formatOf(path string) tablefile.Format {
	format, err := o.Format.Resolve(path)
	if err != nil {
		return o.Format // opening it fails with the reason
	}
	return format
}

// newCSV returns the schema of CSV files of which none was read.
func (o *Options) newCSV() *csv.Schema { return &csv.Schema{NoHeader: o.NoHeader, Types: o.CSVTypes} }

// warn warns of a file.
func (o *Options) warn(path string, remarks []string) {
	for _, text := range remarks {
		o.Warn(displayName(path) + ": " + text)
	}
}

// displayName returns a file as errors name it.
func displayName(path string) string {
	if path == tablefile.Pipe {
		return "standard input"
	}
	return path
}
