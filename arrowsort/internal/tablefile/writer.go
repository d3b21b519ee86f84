package tablefile

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// A Writer writes a table to a file piece by piece. The file appears under its name with Commit. Abort, without effect
// behind Commit, leaves what was there before.
type Writer struct {
	path   string
	out    countingWriter
	file   atomicfile.File // nil after Commit and Abort
	pieces pieceWriter
}

// pieceWriter encodes the pieces of a table.
type pieceWriter interface {
	write(ctx context.Context, table arrow.Table) error
	finish() error
}

// Create begins a file of tables of a schema. Errors, also those of the methods, name the file. Options.Progress is not told.
func Create(ctx context.Context, path string, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	w := &Writer{path: path, out: countingWriter{ctx: ctx}}
	err := opts.check(path)
	if err == nil {
		err = w.open(path, schema, opts)
	}
	if err != nil {
		w.Abort()
		return nil, inFile(path, "standard output", err)
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
	if w.file, err = create(path, opts.Stdout); err != nil {
		return err
	}
	w.out.w = w.file
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

// create creates the file for a path, or takes standard output for Pipe.
func create(path string, stdout io.Writer) (atomicfile.File, error) {
	switch {
	case path != Pipe:
		return atomicfile.Create(path)
	case stdout != nil:
		return atomicfile.InPlace(stdout), nil
	}
	return atomicfile.InPlace(os.Stdout), nil
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
		err = w.file.Flush()
	}
	return w.named(err)
}

// Sync has the disk hold the file, which Commit does too: of several files it may be done at the same time. Finish comes before.
func (w *Writer) Sync() error { return w.named(w.file.Sync()) }

// Commit syncs the file and gives it its name. It returns the size. Finish comes before.
func (w *Writer) Commit() (int64, error) {
	err := w.file.Commit()
	w.file = nil
	return w.out.n, w.named(err)
}

// Abort removes the file that was not committed.
func (w *Writer) Abort() {
	if w.file != nil {
		w.file.Abort()
		w.file = nil
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
