package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// WriteOptions say how to write. The zero value is right.
type WriteOptions struct {
	Name         string                // of the file in errors; empty: its path
	Format       Format                // Auto: by the file's name; an IPC stream for Pipe
	Stdout       io.Writer             // what Pipe writes; nil: os.Stdout
	Allocator    memory.Allocator      // nil: memory.DefaultAllocator
	Threads      int                   // 0: GOMAXPROCS
	Compression  Compression           // how Parquet columns and IPC buffers are compressed
	RowGroupRows int                   // rows of a Parquet row group; 0: DefaultRowGroupRows
	PageRows     int                   // rows of a Parquet page at most; 0: DefaultPageRows
	Schema       *arrow.Schema         // the schema that a Parquet file is to have, whose strings the table may hold as dictionaries; nil: the table's
	Layout       *Layout               // of the Parquet file whose rows are written: its schema, metadata and compression are kept
	Delimiter    rune                  // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	Sorting      []SortingColumn       // the order of the rows, for the metadata of a Parquet file
	Rows         []uint64              // numbers of the rows of a table that become a Parquet file, in their order; nil: all rows
	Progress     func(done, total int) // told now and then, from one goroutine at a time
}

// DefaultPageRows is the number of rows of a Parquet page, unless they take more than about a megabyte, when none is asked
// for: what a reader that skips pages has to read for one row.
const DefaultPageRows = 1 << 14

// DefaultRowGroupRows is the number of rows of a Parquet row group when none is asked for.
const DefaultRowGroupRows = 1 << 18

// Write writes a table and returns the size of the file. A file is replaced at once or, after an error or when the
// context is cancelled, not at all: the table is written beside it, synced and renamed. Devices, named
// pipes and open files such as /dev/fd/3 are written directly. Errors name the file.
func Write(ctx context.Context, path string, table arrow.Table, opts WriteOptions) (size int64, err error) {
	out := &countingWriter{ctx: ctx}
	err = opts.check(path)
	if err == nil {
		err = write(ctx, path, table, opts, out)
	}
	if err != nil {
		return 0, inFile(opts.name(path), "standard output", err)
	}
	return out.n, nil
}

// name is what a file is called in errors.
func (o *WriteOptions) name(path string) string {
	if o.Name != "" {
		return o.Name
	}
	return path
}

func write(ctx context.Context, path string, table arrow.Table, opts WriteOptions, out *countingWriter) error {
	format, err := opts.Format.Resolve(path)
	if err != nil {
		return err
	}
	opts.Format, opts.Delimiter = format, delimiter(path, opts.Delimiter)
	if opts.Allocator == nil {
		opts.Allocator = memory.DefaultAllocator
	}
	target, err := openPending(path, opts.Stdout)
	if err != nil {
		return err
	}
	defer target.Abort()
	out.w = target
	if err := writeTable(ctx, out, table, opts); err != nil {
		return err
	}
	return target.Commit()
}

func writeTable(ctx context.Context, w io.Writer, table arrow.Table, opts WriteOptions) error {
	report := opts.Progress
	if report == nil {
		report = func(done, total int) {}
	}
	return contain(func() error {
		switch opts.Format {
		case Parquet:
			return writeParquet(ctx, w, table, opts)
		case IPCFile, IPCStream:
			return writeIPC(w, table, opts, report)
		default:
			return writeCSV(ctx, w, table, opts)
		}
	})
}

// writeStep is the number of bytes between looks at the context, about a millisecond of writing.
const writeStep = 1 << 20

// countingWriter counts what is written and fails once the context is cancelled.
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
