package dataset

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
)

// A Dataset is a list of files with one schema, read in order. It is not changed after Open, but by EachFooter and
// Narrow.
type Dataset struct {
	Files    []string
	Schema   *arrow.Schema       // of all files
	Template *tablefile.Template // the outline of that of the first file if it is Parquet, see StoredAs; else nil
	CSV      *csv.Schema         // of CSV files, else nil

	Bytes   int64          // of all files; 0 for a stream
	Rows    int64          // of all files; less than 0 if one does not have the number
	Memory  int64          // about what all rows take
	Table   int64          // the same with the dictionaries that columns have, as one table of all rows has them
	Compact int64          // the same with text in dictionaries, where Parquet files have them
	Footers int64          // bytes of all footers in memory
	Budget  extsort.Budget // what the largest footer leaves of the memory

	opts    Options
	pipes   pipes
	stream  *tablefile.Scanner    // the one file, which can be scanned once; nil: files can be scanned again
	footers []*tablefile.Template // of the first files, with Options.KeepFooters, for EachFooter
}

// New returns a dataset of files with a schema, of which nothing else is known. It needs no Close.
func New(files []string, schema *arrow.Schema, opts Options) *Dataset {
	return &Dataset{Files: files, Schema: schema, Budget: opts.budget(), opts: opts}
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

func (d *Dataset) open(ctx context.Context, once bool) (err error) {
	if d.stream, err = d.pipes.copy(ctx, d.Files, &d.opts, once); err != nil {
		return err
	}
	if d.stream != nil {
		d.Schema, d.Rows = d.stream.Schema, -1
		return nil
	}
	if err = d.inferCSV(ctx); err != nil {
		return err
	}
	err = d.EachFile(ctx, func(i int, s *tablefile.Scanner) (err error) {
		if i == 0 {
			d.Schema, d.Template = s.Schema, s.Template.Outline()
		} else {
			d.Schema, err = d.match(d.Schema, d.Files[i], s.Schema)
		}
		if err == nil {
			d.Template, err = d.Template.StoredAs(s.Template)
		}
		d.measure(i, s)
		if d.opts.KeepFooters && d.Footers <= d.Budget.Footer() {
			d.footers = append(d.footers, s.Template)
		}
		if s.Template != nil {
			d.opts.warn(d.Files[i], s.Template.Remarks())
		}
		return err
	})
	if err == nil {
		d.warnPartitions()
	}
	return err
}

// warnPartitions warns of columns that only the names of folders have.
func (d *Dataset) warnPartitions() {
	columns, files := d.FolderColumns()
	for i, column := range columns {
		d.opts.warn(files[i], []string{fmt.Sprintf("column %q is in the names of folders only, and is not read",
			column)})
	}
}

// FolderColumns returns the columns that only the names of folders have, as origin in origin=ORD/part-00001.parquet,
// and the first file of each.
func (d *Dataset) FolderColumns() (columns, files []string) {
	seen := map[string]bool{}
	for _, path := range d.Files {
		for folder := filepath.Dir(path); !seen[folder]; folder = filepath.Dir(folder) {
			seen[folder] = true
			name, _, ok := strings.Cut(filepath.Base(folder), "=")
			column, err := url.PathUnescape(name)
			named := ok && err == nil && column != ""
			if named && !slices.Contains(columns, column) && !d.Schema.HasField(column) {
				columns, files = append(columns, column), append(files, path)
			}
		}
	}
	return columns, files
}

// EachFile opens one file after the other and passes it to use, which borrows it.
func (d *Dataset) EachFile(ctx context.Context, use func(number int, s *tablefile.Scanner) error) error {
	return d.eachFile(ctx, 0, use)
}

// eachFile is EachFile from a file on, without those of which no rows are read.
func (d *Dataset) eachFile(ctx context.Context, first int, use func(number int, s *tablefile.Scanner) error) error {
	for i, path := range d.Files {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if i < first || !d.opts.selected.Reads(path) {
			continue
		}
		s, err := d.openFile(path, d.Budget.Piece(), d.CSV, nil)
		if err != nil {
			return err
		}
		err = use(i, s)
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// EachFooter passes the footers of files, nil of one that is not Parquet, to use. Those that were kept, as long as they
// fit in the budget, are not read again. It can be called once.
func (d *Dataset) EachFooter(ctx context.Context, use func(number int, footer *tablefile.Template) error) error {
	kept := d.footers
	d.footers = nil
	for i, footer := range kept {
		if err := use(i, footer); err != nil {
			return err
		}
	}
	return d.eachFile(ctx, len(kept), func(i int, s *tablefile.Scanner) error { return use(i, s.Template) })
}

// Narrow limits a dataset of Parquet files to the pages that can hold one of the first n rows, among the row groups
// that were selected for these. It returns them; nil: all rows are read. Schema and template stay those of all. Rows
// that are read with the leading key are compared with the bounds by which they were selected.
func (d *Dataset) Narrow(ctx context.Context, s *rowgroups.Selection, n int64) (*rowgroups.Selection, error) {
	narrowed, groups := *d, make(map[string][]*rowgroups.Group)
	narrowed.opts.selected = s
	narrowed.Rows, narrowed.Memory, narrowed.Table, narrowed.Compact = 0, 0, 0, 0
	err := narrowed.EachFile(ctx, func(i int, file *tablefile.Scanner) (err error) {
		narrowed.measure(i, file)
		path := d.Files[i]
		groups[path], err = s.Key.Pages(ctx, file, s.Files[path], d.opts.Allocator)
		return err
	})
	if err != nil {
		return nil, err
	}
	refined := s.Refine(d.Files, groups, n)
	if refined.LeftOut == 0 {
		return nil, nil
	}
	d.opts.selected = refined
	d.Rows -= refined.LeftOut
	share := float64(d.Rows) / float64(max(narrowed.Rows, 1))
	for to, bytes := range map[*int64]int64{&d.Memory: narrowed.Memory, &d.Table: narrowed.Table,
		&d.Compact: narrowed.Compact} {
		*to = int64(share * float64(bytes))
	}
	return refined, nil
}

// measure adds what a file holds. What is measured of CSV is that of all files.
func (d *Dataset) measure(file int, s *tablefile.Scanner) {
	s.Measure()
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

// openFile opens a file, which is read in batches of some bytes; CSV has the given schema.
func (d *Dataset) openFile(path string, batchBytes int64, schema *csv.Schema, pool *allocators.Recycler) (
	*tablefile.Scanner, error) {
	read := d.opts.reading(path, schema)
	at := d.pipes.file(path)
	read.Flat, read.Open = pool, d.opts.opener(at)
	s, err := tablefile.Scan(at, batchBytes, read)
	if e := (*tablefile.FooterError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("%w; the budget has to be at least %d bytes", err, extsort.BudgetOfFooter(e.Bytes))
	}
	return s, err
}

// FormatOf returns the format of a file; Auto when its name names none.
func (d *Dataset) FormatOf(path string) tablefile.Format { return d.opts.formatOf(path) }

// match returns the schema that holds the rows of a file as well.
func (d *Dataset) match(schema *arrow.Schema, path string, of *arrow.Schema) (*arrow.Schema, error) {
	return matchSchemas(schema, of, displayName(path), displayName(d.Files[0]))
}
