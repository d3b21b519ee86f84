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

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// A Writer writes tables to a file, one after the other. Commit completes the file. Abort, without effect after
// Commit, removes it.
type Writer struct {
	path   string
	opts   WriteOptions // with a format and an allocator
	out    countingWriter
	file   atomicfile.File // nil after Commit and Abort
	pieces pieceWriter
	rows   int64 // of the tables
}

// pieceWriter encodes the pieces of a table.
type pieceWriter interface {
	Write(ctx context.Context, table arrow.Table) error
	Finish() error
	Rows() int64 // of the row groups, record batches or lines that were written
}

// Create starts a file of tables of a schema. Errors, also those of the methods, name the file.
func Create(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	w := &Writer{path: path, opts: opts, out: countingWriter{ctx: ctx}}
	err := w.resolve()
	if err == nil {
		w.file, err = create(ctx, path, opts.Stdout)
	}
	if err == nil {
		w.out.w = w.file
		err = w.begin(schema)
	}
	if err != nil {
		w.Abort()
		return nil, inFile(opts.name(path), "standard output", err)
	}
	return w, nil
}

// CheckSchema returns the error of Create for a schema that the format of the file cannot hold, without a file.
func CheckSchema(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) error {
	w := &Writer{path: path, opts: opts, out: countingWriter{ctx: ctx, w: io.Discard}}
	defer w.Abort()
	err := w.resolve()
	if err == nil {
		err = w.begin(schema)
	}
	return inFile(opts.name(path), "standard output", err)
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

// begin writes what precedes the rows.
func (w *Writer) begin(schema *arrow.Schema) error {
	opts := &w.opts
	return fileerror.ContainWriting(func() (err error) {
		if err := validate.Schema(schema); err != nil {
			return err
		}
		switch opts.Format {
		case Parquet:
			w.pieces, err = parquet.NewWriter(&w.out, schema, opts.parquet())
			return err
		case CSV:
			const rows = 1 << 14 // of which the progress is reported
			out, err := csv.NewWriter(&w.out, schema, delimiter(w.path, opts.Delimiter), opts.NoHeader)
			w.pieces = &batchWriter{out: out, most: rows, progress: opts.Progress}
			return err
		default:
			const rows = 1 << 20 // so that a reader of a stream can start early
			out, err := ipc.NewWriter(&w.out, schema, ipc.Options{
				File: opts.Format == IPCFile, Codec: opts.Compression.Codec, Allocator: opts.Allocator})
			w.pieces = &batchWriter{out: out, most: rows, progress: opts.Progress}
			return err
		}
	})
}

// create creates the file for a path, or takes standard output for Pipe.
func create(ctx context.Context, path string, stdout io.Writer) (atomicfile.File, error) {
	if path != Pipe {
		return atomicfile.Create(ctx, path)
	}
	return atomicfile.InPlace(ctx, cmp.Or[io.Writer](stdout, os.Stdout)), nil
}

// Write appends the rows of a table. A Parquet file gets them in new row groups.
func (w *Writer) Write(ctx context.Context, table arrow.Table) error {
	w.rows += table.NumRows()
	if w.opts.Rows != nil {
		w.rows += int64(len(w.opts.Rows)) - table.NumRows()
	}
	return w.named(fileerror.ContainWriting(func() error { return w.pieces.Write(ctx, table) }))
}

// Rows returns the number of rows of the tables that were written and of the files that were copied.
func (w *Writer) Rows() int64 { return w.rows }

// Written returns the number of bytes that were written so far.
func (w *Writer) Written() int64 { return w.out.n }

// Finish writes what follows the last row. A file that does not have all rows of the tables is an error.
func (w *Writer) Finish() error {
	err := fileerror.ContainWriting(w.pieces.Finish)
	if n := w.pieces.Rows(); err == nil && n != w.rows {
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
	if b, ok := w.pieces.(*batchWriter); ok {
		b.abort()
	}
	if w.file != nil {
		w.file.Abort()
		w.file = nil
	}
}

func (w *Writer) named(err error) error {
	if e := (*fileError)(nil); !errors.As(err, &e) {
		err = inFile(w.opts.name(w.path), "standard output", err)
	}
	return err
}
