package tablefile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Writer writes a table to a file piece by piece. The file appears under its name with Commit. Abort, without effect
// behind Commit, leaves what was there before.
type Writer struct {
	path    string
	out     countingWriter
	pending pending
	pieces  pieceWriter
}

// pending is a file that does not have its name yet.
type pending interface {
	io.Writer
	flush() error  // behind the last byte
	Sync() error   // behind flush
	Commit() error // after an error nothing is left of the file
	Abort()
}

// pieceWriter encodes the pieces of a table.
type pieceWriter interface {
	write(ctx context.Context, table arrow.Table) error
	finish() error
}

// Create begins a file of tables of a schema. Errors, also those of the methods, name the file. Options.Progress is not told.
func Create(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	w := &Writer{path: opts.name(path), out: countingWriter{ctx: ctx}}
	err := opts.check(path)
	if err == nil {
		err = w.open(path, schema, opts)
	}
	if err != nil {
		w.Abort()
		return nil, inFile(w.path, "standard output", err)
	}
	return w, nil
}

func (w *Writer) open(path string, schema *arrow.Schema, opts WriteOptions) (err error) {
	if opts.Format, err = opts.Format.Resolve(path); err != nil {
		return err
	}
	opts.Delimiter = delimiter(path, opts.Delimiter)
	if opts.Allocator == nil {
		opts.Allocator = memory.DefaultAllocator
	}
	if w.pending, err = openPending(path, opts.Stdout); err != nil {
		return err
	}
	w.out.w = w.pending
	return contain(func() (err error) {
		switch opts.Format {
		case Parquet:
			w.pieces, err = newParquetWriter(&w.out, schema, opts)
			return err
		case CSV:
			opts.Progress = nil
			w.pieces, err = newCSVPieces(&w.out, schema, opts)
			return err
		}
		out, err := newRecordWriter(&w.out, schema, opts)
		w.pieces = recordPieces{out}
		return err
	})
}

// openPending opens the file for a path: one to be renamed, or standard output, a device or a pipe to be written at once.
func openPending(path string, stdout io.Writer) (pending, error) {
	if path == Pipe {
		if stdout == nil {
			stdout = os.Stdout
		}
		return direct{Writer: stdout}, nil
	}
	if d, ok := descriptorOf(path); ok {
		file, err := d.open(path)
		return direct{Writer: file, file: file}, err
	}
	if isOpened(path) {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		return direct{Writer: file, file: file}, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file behind a link is replaced, not the link
	}
	return newPending(path)
}

// isOpened says whether there is a device or a pipe at a path, which is written as it is.
func isOpened(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// Replaces reports whether what is written to a path appears there when it is complete, so that nothing is there after an error.
func Replaces(path string) bool {
	_, ok := descriptorOf(path)
	return !ok && path != Pipe && !isOpened(path)
}

// direct is a file that cannot be renamed over.
type direct struct {
	io.Writer
	file *os.File // nil: not ours to close
}

func (d direct) flush() error { return nil }

func (d direct) Sync() error { return nil }

func (d direct) Commit() error {
	if d.file == nil {
		return nil
	}
	return d.file.Close()
}

func (d direct) Abort() {
	if d.file != nil {
		d.file.Close()
	}
}

// Write appends the rows of a table. Parquet gets them in row groups of their own.
func (w *Writer) Write(ctx context.Context, table arrow.Table) error {
	return w.named(contain(func() error { return w.pieces.write(ctx, table) }))
}

// Written is the number of bytes that were written so far.
func (w *Writer) Written() int64 { return w.out.n }

// Finish writes what belongs behind the last row.
func (w *Writer) Finish() error {
	err := contain(w.pieces.finish)
	if err == nil {
		err = w.pending.flush()
	}
	return w.named(err)
}

// Sync has the disk hold the file, which Commit does too: of several files it may be done at the same time. Finish comes before.
func (w *Writer) Sync() error { return w.named(w.pending.Sync()) }

// Commit syncs the file and gives it its name. It returns the size. Finish comes before.
func (w *Writer) Commit() (int64, error) {
	err := w.pending.Commit()
	w.pending = nil
	return w.out.n, w.named(err)
}

// Abort removes the file that was not committed.
func (w *Writer) Abort() {
	if w.pending != nil {
		w.pending.Abort()
		w.pending = nil
	}
}

func (w *Writer) named(err error) error {
	if e := (*fileError)(nil); err != nil && !errors.As(err, &e) {
		err = inFile(w.path, "standard output", err)
	}
	return err
}

// recordPieces are the record batches of an Arrow file or stream.
type recordPieces struct{ out recordWriter }

func (p recordPieces) write(_ context.Context, table arrow.Table) error {
	r := array.NewTableReader(table, ipcBatch)
	defer r.Release()
	for r.Next() {
		if err := p.out.Write(r.Record()); err != nil {
			return err
		}
	}
	return nil
}

func (p recordPieces) finish() error { return p.out.Close() }
