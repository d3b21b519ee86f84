package tablefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// ErrScan is returned for a pipe of a format that is not read from front to back: it has to be copied to a file.
var ErrScan = errors.New("only Arrow streams can be read from a pipe")

// A Scanner reads a file from front to back, a batch at a time. It is used by one goroutine.
type Scanner struct {
	Schema   *arrow.Schema
	Format   Format
	Bytes    int64     // size of the file; of a pipe, what was read so far
	Version  string    // of the file: its size, and what a Versioned adds; of a pipe empty
	Template *Template // of a Parquet file, else nil
	Rows     int64     // of a Parquet file and of all CSV files of ReadOptions.CSV; else -1

	// About the bytes that the footer of a Parquet file takes in memory, as long as it is open, and that the rows take:
	// with the dictionaries that columns have in the file, as a table of all rows has them, and with text in
	// dictionaries where a Parquet file has them. An Arrow file is measured by Measure; before, they are its size.
	Footer, InMemory, Table, MemoryWithDictionaries int64

	path     string          // in errors
	file     io.Closer       // nil: standard input
	pipe     *countingReader // what a pipe is read by; nil: it is a file
	batches  batches
	parquet  *parquet.File // of a Parquet file
	selected []int         // columns of a batch; nil: all
}

// batches are the parts of a table. Next ends with io.EOF.
type batches interface {
	Next(ctx context.Context) (arrow.Table, error)
	Share() float64 // of the file that was read
	Close()
}

// Scan opens a file of any format, or an Arrow stream for Pipe. The batches of Parquet and CSV take about batchBytes in
// memory, a record batch of Arrow is a batch. Dictionaries may differ from batch to batch. The types of CSV are those
// of ReadOptions.CSV; without it all columns are text. The caller closes the scanner. Errors are those of Read, and
// ErrScan.
func Scan(path string, batchBytes int64, opts ReadOptions) (*Scanner, error) {
	return withFile(opts.name(path), "standard input", func() (*Scanner, error) { return scan(path, batchBytes, opts) })
}

func scan(path string, batchBytes int64, opts ReadOptions) (s *Scanner, err error) {
	opts.Delimiter = delimiter(opts.name(path), opts.Delimiter)
	s = &Scanner{path: opts.name(path)}
	if s.Format, err = opts.resolveInput(path); err != nil {
		return nil, err
	}
	if path == Pipe {
		return s, s.openPipe(opts)
	}
	file, err := opts.open(path, s.Format)
	if err != nil {
		return nil, err
	}
	s.file, s.Version = file, fmt.Sprintf("%d %s", file.size, file.version)
	if err = ErrScan; !file.compressed { // else CSV, which is copied first
		opts.setAllocationLimit(file.size)
		err = s.open(file.source, file.size, batchBytes, opts)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openPipe begins a stream. Its size is not known.
func (s *Scanner) openPipe(opts ReadOptions) error {
	if s.Format != IPCStream {
		return ErrScan
	}
	r, err := pipeOf(cmp.Or[io.Reader](opts.Stdin, os.Stdin), s.Format, 0)
	if err != nil {
		return err
	}
	opts.setAllocationLimit(-1)
	s.pipe = &countingReader{r: r}
	return s.openBatches(s.pipe, -1, opts)
}

func (s *Scanner) open(src source, size, batchBytes int64, opts ReadOptions) error {
	s.Bytes = size
	opts.inBatches, opts.Dictionaries = true, false
	switch s.Format {
	case CSV:
		return s.openCSV(src, batchBytes, opts)
	case Parquet:
		f, err := parquet.Open(src, s.Bytes, opts.parquet())
		if err != nil {
			return err
		}
		s.parquet, s.Schema, s.Template, s.Rows = f, f.Schema(), f.Template, f.Template.Rows()
		s.InMemory, s.Table, s.MemoryWithDictionaries = f.InMemory(), f.Table(), f.MemoryWithDictionaries()
		s.Footer = f.Footer
		s.batches = f.Batches(batchBytes)
		return nil
	}
	return s.openBatches(src, s.Bytes, opts)
}

func (s *Scanner) openCSV(src io.ReaderAt, batchBytes int64, opts ReadOptions) error {
	opts.CSV = cmp.Or(opts.CSV, &csv.Schema{})
	r, err := csv.NewReader(opts.source(src, s.Bytes), opts.CSV, batchBytes, opts.Allocator)
	if err != nil {
		return err
	}
	s.Schema, s.Rows, s.batches = opts.CSV.Arrow(), opts.CSV.Rows, csvBatches{r}
	s.setMemory(opts.CSV.Bytes())
	return nil
}

func (s *Scanner) openBatches(src io.Reader, size int64, opts ReadOptions) error {
	s.setMemory(s.Bytes)
	s.Rows = -1
	batches, err := openBatches(s.Format, src, size, opts.Allocator)
	if err != nil {
		return err
	}
	read := &ipcBatches{Reader: batches, mem: opts.Allocator, limit: opts.declaredLimit}
	read.announcer, _ = src.(Announcer)
	if size >= 0 {
		read.file, _ = src.(io.ReaderAt)
	}
	s.Schema, s.batches = batches.Schema(), read
	return nil
}

func (s *Scanner) setMemory(bytes int64) {
	s.InMemory, s.Table, s.MemoryWithDictionaries = bytes, bytes, bytes
}

// Measure estimates what an Arrow file takes in memory, by the lengths of some buffers where they are compressed: each
// may be a request of a file that is elsewhere. It precedes SelectParts.
func (s *Scanner) Measure() {
	if b, ok := s.batches.(*ipcBatches); ok && b.file != nil {
		s.setMemory(b.InMemory(b.file, s.Bytes))
	}
}

// Next returns the next batch, which the caller releases; io.EOF after the last. Errors name the file.
func (s *Scanner) Next(ctx context.Context) (table arrow.Table, err error) {
	err = errkind.Contain(func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		table, err = s.batches.Next(ctx)
		return err
	})
	if s.pipe != nil {
		s.Bytes = s.pipe.n
	}
	if err == nil {
		return s.pick(table), nil
	}
	if err == io.EOF {
		return nil, err
	}
	return nil, nameFile(s.path, "standard input", err)
}

// Done returns about how many bytes of the file were read.
func (s *Scanner) Done() int64 {
	if s.pipe != nil {
		return s.Bytes
	}
	return int64(float64(s.Bytes) * s.batches.Share())
}

// Close closes the file. It may be called more than once.
func (s *Scanner) Close() {
	if s.batches != nil {
		s.batches.Close()
		s.batches = nil
	}
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// SelectColumns limits Next to some columns, by their positions in Schema, which becomes the schema of these. The
// others of Parquet and CSV are not read. It precedes Next.
func (s *Scanner) SelectColumns(columns []int) {
	s.Schema = arraydata.Pick(s.Schema, columns)
	if p, ok := s.batches.(interface{ SelectColumns(columns []int) }); ok {
		p.SelectColumns(columns)
		return
	}
	s.selected = columns
}

// pick takes the selected columns of a batch, which it consumes.
func (s *Scanner) pick(batch arrow.Table) arrow.Table {
	if s.selected == nil {
		return batch
	}
	defer batch.Release()
	return arraydata.PickTable(batch, s.selected)
}

// PartSizes returns the sizes in memory of the parts that a file can be read by, about: the row groups of Parquet, or
// the record batches of an Arrow file. nil: the file can only be read as a whole.
func (s *Scanner) PartSizes() []int64 {
	if s.Template != nil {
		var bytes []int64
		for _, group := range s.Template.RowGroups() {
			share := float64(group.Rows) / float64(max(s.Rows, 1))
			bytes = append(bytes, int64(share*float64(s.InMemory)))
		}
		return bytes
	}
	if batches, ok := s.batches.(*ipcBatches); ok {
		return batches.Batches()
	}
	return nil
}

// Zones returns what a Parquet file has on a leaf column, by number, in its footer and its page index. The caller
// releases them. Errors name the file.
func (s *Scanner) Zones(leaf int, mem memory.Allocator) (z LeafZones, err error) {
	err = errkind.Contain(func() error {
		z, err = s.parquet.Zones(leaf, mem)
		return err
	})
	return z, nameFile(s.path, "standard input", err)
}

// LeafType returns the type of the values of a leaf column of a Parquet file, by number, and whether they lie in lists.
func (s *Scanner) LeafType(leaf int) (typ arrow.DataType, repeated bool) {
	return s.parquet.LeafType(leaf)
}

// SelectParts limits Next to count parts of the file from number first on; see PartSizes. It precedes Next, and is
// called once.
func (s *Scanner) SelectParts(first, count int) error {
	if parts := len(s.PartSizes()); first < 0 || count < 0 || first+count > parts {
		return nameFile(s.path, "standard input", fmt.Errorf("there are %d row groups or record batches, but number "+
			"%d to %d are asked for: the file is another one now", parts, first, first+count-1))
	}
	s.batches.(interface{ SelectParts(first, count int) }).SelectParts(first, count)
	return nil
}

// ErrHeader is returned by InferCSV for a file whose columns are not those of the files before.
var ErrHeader = csv.ErrHeader

// InferCSV adds a CSV file to the schema of ReadOptions.CSV: it reads all of it. Errors are those of Scan, and
// ErrHeader.
func InferCSV(ctx context.Context, path string, opts ReadOptions) error {
	_, err := withFile(opts.name(path), "standard input", func() (struct{}, error) {
		return struct{}{}, inferCSV(ctx, path, opts)
	})
	return err
}

func inferCSV(ctx context.Context, path string, opts ReadOptions) error {
	file, err := opts.open(path, CSV)
	if err != nil {
		return err
	}
	defer file.Close()
	if file.compressed { // it is copied first
		return ErrScan
	}
	opts.Delimiter = delimiter(opts.name(path), opts.Delimiter)
	source := opts.source(file, file.size)
	if opts.Progress != nil {
		report := func(done int64) { opts.Progress(int(done), int(file.size)) }
		source.Text = &progressReader{ReaderAt: file, report: report}
	}
	return opts.CSV.Infer(ctx, source)
}

// A progressReader reports how far a file was read, by one goroutine.
type progressReader struct {
	io.ReaderAt
	report func(done int64)
	done   int64
}

func (r *progressReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	if end := at + int64(n); end > r.done {
		r.done = end
		r.report(end)
	}
	return n, err
}
