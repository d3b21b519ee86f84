package tablefile

import (
	"cmp"
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// WriteOptions are the options of Write and Create. The zero value is right.
type WriteOptions struct {
	Name         string                // of the file in errors; empty: its path
	Format       Format                // Auto: by the file's name; an IPC stream for Pipe
	Stdout       io.Writer             // what Pipe writes; nil: os.Stdout
	Allocator    memory.Allocator      // nil: memory.DefaultAllocator
	Threads      int                   // 0: GOMAXPROCS
	Compression  Compression           // how Parquet columns and IPC buffers are compressed
	RowGroupRows int                   // rows of a Parquet row group; 0: DefaultRowGroupRows
	PageRows     int                   // rows of a Parquet page at most; 0: DefaultPageRows
	Schema       *arrow.Schema         // of a Parquet file; tables may have its strings as dictionaries; nil: theirs
	Layout       *Layout               // of the Parquet file whose schema, metadata and compression are kept
	Delimiter    rune                  // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	NoHeader     bool                  // CSV has no line of column names
	Sorting      []SortingColumn       // the order of the rows, for the metadata of a Parquet file
	Rows         []uint64              // row numbers, in order, of a table that becomes a Parquet file; nil: all rows
	Progress     func(done, total int) // called now and then, from one goroutine at a time
}

// Write writes a table and returns the size of the file, which is removed after an error or when the context is
// cancelled; one that was there is lost. Devices, named pipes and open files such as /dev/fd/3 stay. Errors name the
// file.
func Write(ctx context.Context, path string, table arrow.Table, opts WriteOptions) (size int64, err error) {
	w, err := Create(ctx, path, table.Schema(), opts)
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	if w.opts.Format == IPCFile || w.opts.Format == IPCStream { // a file needs the same dictionaries in all batches
		table, err = ofFile(w.opts.name(path), "standard output", func() (arrow.Table, error) {
			return dictionary.Unify(ctx, w.opts.Allocator, table)
		})
		if err != nil {
			return 0, err
		}
		defer table.Release()
	}
	if err = w.Write(ctx, table); err == nil {
		err = w.Finish()
	}
	if err != nil {
		return 0, err
	}
	return w.Commit()
}

// name is what a file is called in errors.
func (o *WriteOptions) name(path string) string {
	return cmp.Or(o.Name, path)
}

// writeStep is the number of bytes between checks of the context, about a millisecond of writing.
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
