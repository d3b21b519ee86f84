package dataset

import (
	"cmp"
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// ScanOptions say how rows are read.
type ScanOptions struct {
	Columns            Projection
	Files              []string                // those that are read, in this order; nil: all
	BatchBytes         int64                   // that are read at a time; 0: as in the budget
	DecodeDictionaries bool                    // dictionaries are read as their values
	Pool               *allocators.Recycler    // of flat columns; nil: the allocator
	Progress           func(done, total int64) // gets bytes of the files; nil: nobody does
}

// Scan passes all rows to use, batch by batch with the number of their file, while the next are read. use borrows the
// batches; its io.EOF ends the scan. Scan returns the bytes of all files, which are not known of a stream before.
func (d *Dataset) Scan(ctx context.Context, opts ScanOptions,
	use func(file int, batch arrow.Table) error) (total int64, err error) {
	files, progress, done := opts.Files, opts.Progress, int64(0)
	if files == nil {
		files = d.Files
	}
	if progress == nil {
		progress = func(done, total int64) {}
	}
	total = d.Bytes
	progress(0, total)
	for file, path := range files {
		s := d.File(path, opts)
		err := s.Each(ctx, func(batch arrow.Table, read int64) error {
			err := use(file, batch)
			progress(done+read, total)
			return err
		})
		if s.scanner != nil {
			done += s.scanner.Bytes
		}
		s.Close()
		total = max(total, done)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		progress(done, total)
	}
	progress(total, total) // without those that are not opened
	return total, nil
}

// OpenFile opens one of the files to scan it. The caller closes it.
func (d *Dataset) OpenFile(path string, opts ScanOptions) (*tablefile.Scanner, error) {
	if d.stream != nil {
		return d.stream, nil
	}
	return d.openFile(path, d.batchBytes(opts), cmp.Or(opts.Columns.csv, d.CSV), opts.Pool)
}

func (d *Dataset) batchBytes(opts ScanOptions) int64 {
	return cmp.Or(opts.BatchBytes, d.Budget.Piece())
}

// A FileScan reads the rows of one file, with the columns of a projection. It is opened when it is read.
type FileScan struct {
	dataset *Dataset
	path    string
	opts    ScanOptions
	scanner *tablefile.Scanner // nil: not opened
	schema  *arrow.Schema      // of the batches
	large   bool               // the values of dictionaries may take many times what was read
	rest    arrow.Table        // of what was read; or nil
	checker *rowgroups.Checker // nil: nothing is compared
}

// File returns a scan of one of the files.
func (d *Dataset) File(path string, opts ScanOptions) *FileScan {
	return &FileScan{dataset: d, path: path, opts: opts}
}

// Open opens the file. The caller closes the scan.
func (s *FileScan) Open() (err error) {
	columns := s.opts.Columns
	if s.schema = columns.Schema; s.opts.DecodeDictionaries {
		if s.schema, err = dictionary.DecodedSchema(columns.Schema); err != nil {
			return err
		}
		s.large = !s.schema.Equal(columns.Schema)
	}
	if s.scanner, err = s.dataset.OpenFile(s.path, s.opts); err != nil {
		return err
	}
	s.checker = s.dataset.opts.selected.Checker(s.path, columns.Schema, columns.Keys)
	if columns.columns != nil {
		s.scanner.SelectColumns(columns.in(s.scanner.Schema))
	}
	_, err = s.dataset.match(columns.Schema, s.path, s.scanner.Schema) // as it was when the dataset was opened
	return err
}

// Version returns the version of the file, which Open has opened.
func (s *FileScan) Version() string { return s.scanner.Version }

// SelectParts limits Next to some row groups or record batches, as that of tablefile.Scanner does. Open precedes it.
func (s *FileScan) SelectParts(first, count int) error { return s.scanner.SelectParts(first, count) }

// Next returns the next rows, which the caller releases; io.EOF after the last. A file of which no rows are read is not
// opened.
func (s *FileScan) Next(ctx context.Context) (arrow.Table, error) {
	if !s.dataset.opts.selected.Reads(s.path) {
		return nil, io.EOF
	}
	if s.scanner == nil {
		if err := s.Open(); err != nil {
			return nil, err
		}
	}
	table, err := s.batch(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	opts := s.dataset.opts
	arranged, err := Arrange(ctx, table, s.schema, take.Options{Threads: opts.Threads, Allocator: opts.Allocator})
	if err != nil {
		return nil, err
	}
	if err := s.dataset.compare(ctx, s.checker, s.path, arranged); err != nil {
		arranged.Release()
		return nil, err
	}
	return arranged, nil
}

// compare compares rows of a file with its footer.
func (d *Dataset) compare(ctx context.Context, c *rowgroups.Checker, path string, batch arrow.Table) error {
	err := c.Add(ctx, batch, rows.Options{Threads: d.opts.Threads, Allocator: d.opts.Allocator})
	return errkind.InFile(displayName(path), err)
}

// batch returns the next rows as they are in the file, of which the values of dictionaries fit.
func (s *FileScan) batch(ctx context.Context) (table arrow.Table, err error) {
	if table, s.rest = s.rest, nil; table == nil {
		if table, err = s.scanner.Next(ctx); err != nil || !s.large {
			return table, err
		}
	}
	n := extsort.FittingRows(table, 0, s.dataset.batchBytes(s.opts))
	if n == table.NumRows() {
		return table, nil
	}
	defer table.Release()
	s.rest = arraydata.SliceTable(table, n, table.NumRows())
	part := arraydata.SliceTable(table, 0, n)
	defer part.Release()
	opts := s.dataset.opts // dictionaries inside of a slice would be decoded whole
	return extsort.CopyTable(ctx, part, arrowsort.Options{Threads: opts.Threads, Allocator: opts.Allocator})
}

// Each passes all rows to use, batch by batch with the bytes of the file that were read, while the next are read.
func (s *FileScan) Each(ctx context.Context, use func(batch arrow.Table, read int64) error) error {
	next := func(ctx context.Context) (arraydata.Piece, error) {
		table, err := s.Next(ctx)
		if err != nil {
			return arraydata.Piece{}, err
		}
		return arraydata.Piece{Table: table, Done: s.scanner.Done()}, nil
	}
	return arraydata.Prefetch(ctx, next, func(_ context.Context, p arraydata.Piece) error {
		return use(p.Table, p.Done)
	})
}

// Close closes the file. That of a stream, which the dataset closes again, frees its dictionaries.
func (s *FileScan) Close() {
	if s.rest != nil {
		s.rest.Release()
		s.rest = nil
	}
	if s.scanner != nil {
		s.scanner.Close()
	}
}
