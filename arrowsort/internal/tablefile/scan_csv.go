package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// ErrHeader is returned by InferCSV for a file whose columns are not those of the files before.
var ErrHeader = csv.ErrHeader

// InferCSV adds a CSV file to the schema of ReadOptions.CSV: it reads all of it. Errors are those of Scan, and
// ErrHeader.
func InferCSV(ctx context.Context, path string, opts ReadOptions) error {
	_, err := ofFile(opts.name(path), "standard input", func() (struct{}, error) {
		return struct{}{}, inferCSV(ctx, path, opts)
	})
	return err
}

func inferCSV(ctx context.Context, path string, opts ReadOptions) error {
	file, size, compressed, err := openFile(path, CSV)
	if err != nil {
		return err
	}
	defer file.Close()
	if compressed { // it is copied first
		return ErrScan
	}
	opts.Delimiter = delimiter(opts.name(path), opts.Delimiter)
	source := opts.source(file, size)
	if opts.Progress != nil {
		source.Text = &progressReader{ReaderAt: file, report: func(done int64) { opts.Progress(int(done), int(size)) }}
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

// source is a CSV file.
func (o *ReadOptions) source(file io.ReaderAt, size int64) csv.Source {
	return csv.Source{Text: file, Size: size, Delimiter: o.Delimiter, MaxRow: o.MaxRow}
}

type csvPieces struct{ *csv.Reader }

func (c csvPieces) Next(ctx context.Context) (arrow.Table, error) {
	rec, err := c.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec}), nil
}

func (c csvPieces) Close() { c.Release() }
