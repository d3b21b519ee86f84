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

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// A Writer writes tables to a file, one after the other. Commit completes the file. Abort, without effect after
// Commit, removes it.
type Writer struct {
	path    string
	schema  *arrow.Schema
	opts    WriteOptions // with a format and an allocator
	out     countingWriter
	file    atomicfile.File // nil after Commit and Abort
	encoder tableWriter
	rows    int64 // of the tables
}

// A tableWriter encodes tables.
type tableWriter interface {
	Write(ctx context.Context, table arrow.Table) error
	Finish() error
	Rows() int64 // of the row groups, record batches or lines that were written
}

// Create starts a file of tables of a schema. Errors, also those of the methods, name the file.
func Create(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	w := &Writer{path: path, opts: opts, schema: schema}
	return w.create(ctx, w.begin)
}

// Next starts another file of the same tables, which errors name. It uses the encoder of Parquet again, whose memory is
// several times that of a small file. Finish of the receiver precedes it.
func (w *Writer) Next(ctx context.Context, path, name string) (*Writer, error) {
	next := &Writer{path: path, opts: w.opts, schema: w.schema}
	next.opts.Name = name
	begin := next.begin
	if before, ok := w.encoder.(*parquet.Writer); ok {
		begin = func() error {
			return errkind.ContainWriting(func() (err error) {
				next.encoder, err = before.Next(&next.out)
				return err
			})
		}
	}
	return next.create(ctx, begin)
}

// create creates the file, and begins it.
func (w *Writer) create(ctx context.Context, begin func() error) (*Writer, error) {
	w.out.ctx = ctx
	err := w.resolve()
	if err == nil {
		w.file, err = w.opts.create(ctx, w.path)
	}
	if err == nil {
		w.out.w = w.file
		err = begin()
	}
	if err != nil {
		w.Abort()
		return nil, nameFile(w.opts.name(w.path), "standard output", err)
	}
	return w, nil
}

// CheckSchema returns the error of Create for a schema that the format of the file cannot hold, without a file.
func CheckSchema(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) error {
	w := &Writer{path: path, schema: schema, opts: opts, out: countingWriter{ctx: ctx, w: io.Discard}}
	defer w.Abort()
	err := w.resolve()
	if err == nil {
		err = w.begin()
	}
	return nameFile(opts.name(path), "standard output", err)
}

// resolve checks the options and completes them.
func (w *Writer) resolve() (err error) {
	if err = w.opts.check(w.path); err != nil {
		return err
	}
	w.opts.Format, err = w.opts.Format.Resolve(w.path)
	w.opts.Allocator = cmp.Or(w.opts.Allocator, memory.DefaultAllocator)
	return err
}

// begin writes the part of the file that precedes the rows.
func (w *Writer) begin() error {
	opts, schema := &w.opts, w.schema
	return errkind.ContainWriting(func() (err error) {
		if err := validate.Schema(schema); err != nil {
			return err
		}
		switch opts.Format {
		case Parquet:
			w.encoder, err = parquet.NewWriter(&w.out, schema, opts.parquet())
			return err
		case CSV:
			const rows = 1 << 14 // of which the progress is reported
			out, err := csv.NewWriter(&w.out, schema, delimiter(w.path, opts.Delimiter), opts.NoHeader)
			w.encoder = &batchWriter{out: out, most: rows, progress: opts.Progress}
			return err
		default:
			const rows = 1 << 20 // so that a reader of a stream can start early
			out, err := ipc.NewWriter(&w.out, parquet.WithoutOrder(schema), ipc.Options{
				File: opts.Format == IPCFile, Codec: opts.Compression.Codec, Allocator: opts.Allocator})
			w.encoder = &batchWriter{out: out, most: rows, progress: opts.Progress}
			return err
		}
	})
}

// A Creator creates files that are elsewhere. They appear with Commit.
type Creator func(ctx context.Context, path string) (atomicfile.File, error)

// create creates the file for a path, or takes standard output for Pipe.
func (o *WriteOptions) create(ctx context.Context, path string) (atomicfile.File, error) {
	switch {
	case path == Pipe:
		return atomicfile.InPlace(ctx, cmp.Or[io.Writer](o.Stdout, os.Stdout)), nil
	case o.Create != nil:
		return o.Create(ctx, path)
	}
	return atomicfile.Create(ctx, path)
}

// Write appends the rows of a table. A Parquet file gets them in new row groups.
func (w *Writer) Write(ctx context.Context, table arrow.Table) error {
	w.rows += table.NumRows()
	if w.opts.Rows != nil {
		w.rows += int64(len(w.opts.Rows)) - table.NumRows()
	}
	return w.named(errkind.ContainWriting(func() error { return w.encoder.Write(ctx, table) }))
}

// Rows returns the number of rows of the tables that were written and of the files that were copied.
func (w *Writer) Rows() int64 { return w.rows }

// Written returns the number of bytes that were written so far.
func (w *Writer) Written() int64 { return w.out.n }

// Finish writes what follows the last row. A file that does not have all rows of the tables is an error.
func (w *Writer) Finish() error {
	err := errkind.ContainWriting(w.encoder.Finish)
	if n := w.encoder.Rows(); err == nil && n != w.rows {
		err = fmt.Errorf("the file has %d of %d rows and is not kept", n, w.rows)
	}
	if err == nil {
		err = w.file.Flush()
	}
	return w.named(err)
}

// Commit syncs and closes the file, and returns its size. Finish precedes it.
func (w *Writer) Commit() (int64, error) {
	err := w.file.Commit()
	w.file = nil
	return w.out.n, w.named(err)
}

// Abort removes the file, unless it was committed.
func (w *Writer) Abort() {
	if b, ok := w.encoder.(*batchWriter); ok {
		b.abort()
	}
	if w.file != nil {
		w.file.Abort()
		w.file = nil
	}
}

func (w *Writer) named(err error) error {
	if e := (*errkind.FileError)(nil); !errors.As(err, &e) {
		err = nameFile(w.opts.name(w.path), "standard output", err)
	}
	return err
}

// Write writes a table and returns the size of the file, which is removed after an error or when the context is
// cancelled; one that was there is lost. Devices, named pipes and open files such as /dev/fd/3 stay. Errors name the
// file.
func Write(ctx context.Context, path string, table arrow.Table, opts WriteOptions) (size int64, err error) {
	w, err := WriteUncommitted(ctx, path, table, opts)
	if err != nil {
		return 0, err
	}
	return w.Commit()
}

// WriteUncommitted is Write but for Commit: the file is complete, and the caller commits or aborts it.
func WriteUncommitted(ctx context.Context, path string, table arrow.Table, opts WriteOptions) (_ *Writer, err error) {
	w, err := Create(ctx, path, table.Schema(), opts)
	if err != nil {
		return nil, err
	}
	if w.opts.Format == IPCFile || w.opts.Format == IPCStream { // a file needs the same dictionaries in all batches
		table, err = withFile(w.opts.name(path), "standard output", func() (arrow.Table, error) {
			return dictionary.Unify(ctx, w.opts.Allocator, table)
		})
		if err != nil {
			w.Abort()
			return nil, err
		}
		defer table.Release()
	}
	if err = w.Write(ctx, table); err == nil {
		err = w.Finish()
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// writeStep is the number of bytes between checks of the context, about a millisecond of writing.
const writeStep = 1 << 20

// countingWriter counts the bytes that are written, and fails when the context is cancelled.
type countingWriter struct {
	ctx context.Context
	w   io.Writer
	n   int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	written := 0
	for {
		if err := context.Cause(c.ctx); err != nil {
			return written, err
		}
		n, err := c.w.Write(p[written:min(len(p), written+writeStep)])
		written += n
		c.n += int64(n)
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// Copies reports whether a Writer of a schema can Copy the row groups of a file instead of writing its rows: both are
// Parquet, with the same columns, and the row groups are worth it.
func Copies(s *Scanner, schema *arrow.Schema, opts WriteOptions) bool {
	return s.parquet != nil && opts.Format == Parquet && s.parquet.Copies(schema, opts.parquet())
}

// Copy appends the row groups of a file that Copies. It reports now and then how many more bytes are copied. Errors
// name one of the files.
func (w *Writer) Copy(ctx context.Context, s *Scanner, report func(bytes int64)) error {
	w.rows += s.Rows
	named := func(err error) error { return nameFile(s.path, "standard input", err) }
	return w.named(errkind.ContainWriting(func() error {
		return w.encoder.(*parquet.Writer).Copy(ctx, s.parquet, named, report)
	}))
}
