package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// Options say how files are opened and read.
type Options struct {
	Format      tablefile.Format     // Auto: by the names of the files
	Delimiter   rune                 // of CSV; 0: a comma, or a tab in .tsv
	NoHeader    bool                 // CSV has no line of column names
	CSVTypes    map[string]*csv.Type // of columns of CSV, in place of those that are inferred
	Stdin       io.Reader            // what tablefile.Pipe reads; nil: os.Stdin
	Open        tablefile.Opener     // of files that are elsewhere; nil: local ones
	Budget      int64                // bytes of memory
	MemoryLimit int64                // of tablefile.ReadOptions
	SpillDir    string               // for copies of pipes
	Threads     int
	Allocator   memory.Allocator
	Progress    func(phase extsort.Phase, done, total int64) // of what is read to open files
	Warn        func(text string)                            // gets what is read otherwise than one may expect
}

// The phases of Options.Progress.
const (
	PhaseLoad  extsort.Phase = "reading"              // pipes, which are copied
	PhaseTypes extsort.Phase = "finding the types of" // CSV
)

// A Dataset is a list of files with one schema, read in order. It is not changed after Open.
type Dataset struct {
	Files    []string
	Schema   *arrow.Schema       // of all files
	Template *tablefile.Template // the outline of that of the first file if it is Parquet, else nil
	CSV      *csv.Schema         // of CSV files, else nil

	Bytes   int64          // of all files; 0 for a stream
	Rows    int64          // of all files; less than 0 if one does not have the number
	Memory  int64          // about what all rows take
	Table   int64          // the same with the dictionaries that columns have, as one table of all rows has them
	Compact int64          // the same with text in dictionaries, where Parquet files have them
	Footers int64          // bytes of all footers in memory
	Budget  extsort.Budget // what the largest footer leaves of the memory

	opts   Options
	pipes  pipes
	stream *tablefile.Scanner // the one file, which can be scanned once; nil: files can be scanned any number of times
}

// New returns a dataset of files with a schema, of which nothing else is known. It needs no Close.
func New(files []string, schema *arrow.Schema, opts Options) *Dataset {
	return &Dataset{Files: files, Schema: schema, opts: opts,
		Budget: extsort.Budget{Total: opts.Budget, All: opts.Budget}}
}

// Open reads the schemas of files, and the metadata that Parquet files have. With once, an Arrow stream from a pipe
// that is the only file is not copied to a file: it can be scanned once, and only its schema is read. The caller closes
// the dataset.
func Open(ctx context.Context, files []string, opts Options, once bool) (*Dataset, error) {
	d := New(files, nil, opts)
	if err := d.open(ctx, once); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dataset) open(ctx context.Context, once bool) error {
	if err := d.openPipes(ctx, once); err != nil || d.stream != nil {
		return err
	}
	if err := d.inferCSV(ctx); err != nil {
		return err
	}
	for i, path := range d.Files {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s, err := d.OpenFile(path, ScanOptions{})
		if err != nil {
			return err
		}
		if i == 0 {
			d.Schema, d.Template = s.Schema, s.Template.Outline()
		} else {
			d.Schema, err = d.match(d.Schema, path, s.Schema)
		}
		d.measure(i, s)
		if s.Template != nil {
			d.warnAll(path, s.Template.Remarks())
		}
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// measure adds what a file holds. What is measured of CSV is that of all files.
func (d *Dataset) measure(file int, s *tablefile.Scanner) {
	d.Bytes += s.Bytes
	d.Footers += s.Footer
	d.Budget.Total = min(d.Budget.Total, d.Budget.All-s.Footer)
	if d.CSV != nil && file > 0 {
		return
	}
	unknown := d.Rows < 0
	d.Memory += s.InMemory
	d.Table += s.Table
	d.Compact += s.MemoryWithDictionaries
	if d.Rows += s.Rows; unknown || s.Rows < 0 {
		d.Rows = -1
	}
}

// IsStream reports whether the dataset is a stream, which can be scanned once.
func (d *Dataset) IsStream() bool { return d.stream != nil }

// Close closes a stream and removes the copies of pipes.
func (d *Dataset) Close() {
	if d.stream != nil {
		d.stream.Close()
		d.stream = nil
	}
	d.pipes.close()
}

// OpenFile opens one of the files to scan it. The caller closes it.
func (d *Dataset) OpenFile(path string, opts ScanOptions) (*tablefile.Scanner, error) {
	if d.stream != nil {
		return d.stream, nil
	}
	s, err := tablefile.Scan(d.pipes.file(path), d.batchBytes(opts), d.reading(path, opts))
	if e := (*tablefile.FooterError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("%w; the budget has to be at least %d bytes", err, extsort.BudgetOfFooter(e.Bytes))
	}
	return s, err
}

func (d *Dataset) batchBytes(opts ScanOptions) int64 {
	return cmp.Or(opts.BatchBytes, d.Budget.Piece())
}

// reading returns the options to read a file.
func (d *Dataset) reading(path string, opts ScanOptions) tablefile.ReadOptions {
	return tablefile.ReadOptions{
		Format: d.FormatOf(path), Name: path, Allocator: d.opts.Allocator, Flat: opts.Pool, Threads: d.opts.Threads,
		MemoryLimit: d.opts.MemoryLimit, Delimiter: d.opts.Delimiter, CSV: cmp.Or(opts.Columns.csv, d.CSV),
		MaxRow: d.Budget.CSVRow(), Footer: d.Budget.Footer(), Open: d.opts.Open,
	}
}

// FormatOf returns the format of a file; Auto when its name names none.
func (d *Dataset) FormatOf(path string) tablefile.Format {
	format, err := d.opts.Format.Resolve(path)
	if err != nil {
		return d.opts.Format // opening it fails with the reason
	}
	return format
}

// match returns the schema that holds the rows of a file as well.
func (d *Dataset) match(schema *arrow.Schema, path string, of *arrow.Schema) (*arrow.Schema, error) {
	return MatchSchemas(schema, of, displayName(path), displayName(d.Files[0]))
}

// warnAll warns of a file.
func (d *Dataset) warnAll(path string, remarks []string) {
	for _, text := range remarks {
		d.opts.Warn(displayName(path) + ": " + text)
	}
}

// displayName returns a file as errors name it.
func displayName(path string) string {
	if path == tablefile.Pipe {
		return "standard input"
	}
	return path
}
