package output

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Target is where and how rows are written. It is not changed after Resolve.
type Target struct {
	Path  string
	Write tablefile.WriteOptions // with the format

	PageRows    int                 // of Parquet
	PageVersion int                 // of Parquet
	Encodings   tablefile.Encodings // of Parquet
	Split       bool                // there may be several files
	// RowsPerFile splits the output into files of this number of rows, BytesPerFile into files of about this number of
	// bytes; 0 does not.
	RowsPerFile, BytesPerFile int64
	Preview                   int64 // leading rows of which copies are kept

	Partitioned bool // there is a folder of files for each partition, below Path
	Overwrite   bool // partitions that are there already are replaced

	Store *tablefile.Elsewhere // of a path that is an address; nil: there is none
}

// isElsewhere reports whether the files are in the store.
func (t *Target) isElsewhere() bool { return t.Store.Holds(t.Path) }

// Resolve finds the format of an output, and options that do not fit it.
func Resolve(t Target) (_ Target, err error) {
	if t.Partitioned && t.Write.Format == tablefile.Auto {
		t.Write.Format = tablefile.Parquet
	}
	if t.isElsewhere() {
		t.Write.Create = t.Store.Create
	}
	if t.Write.Format, err = t.Write.Format.Resolve(t.Path); err == nil {
		err = tablefile.CheckWrite(t.Path, t.Write)
	}
	return t, err
}

// maxGroupRows is more than any table that is written has.
const maxGroupRows = 1<<31 - 1

// Check makes sure, before any work, that there is a place for the files, which is not among the files that paths list.
func (t *Target) Check(paths, files []string) error {
	if t.isElsewhere() {
		return t.checkElsewhere(paths, files)
	}
	if t.Partitioned {
		return t.checkFolder(files)
	}
	if err := t.checkOverlap(paths, files, "folder"); err != nil {
		return err
	}
	if t.Split {
		if err := checkOlder(t.Path); err != nil {
			return err
		}
	}
	return tablefile.CheckTarget(t.name(1))
}

// CheckSchema makes sure that the format holds the rows of a schema. Errors name the first file of several.
func (t *Target) CheckSchema(ctx context.Context, c Content) error {
	opts := t.options(c)
	opts.Name = t.name(1)
	return tablefile.CheckSchema(ctx, t.Path, arraydata.Pick(c.Rows, c.Columns), opts)
}

// Copies reports whether the row groups of a file can be copied to a file of rows in an order.
func (t *Target) Copies(s *tablefile.Scanner, c Content, order tablefile.RowOrder) bool {
	opts := t.options(c)
	opts.Order = order
	return tablefile.Copies(s, arraydata.Pick(c.Rows, c.Columns), opts)
}

// KeepsDictionaries reports whether columns have one dictionary each in the output, which somebody reads.
func (t *Target) KeepsDictionaries() bool {
	isIPC := t.Write.Format == tablefile.IPCFile || t.Write.Format == tablefile.IPCStream
	return isIPC && t.Write.Stdout != io.Discard
}

// name returns the name of a file, by its number if there may be several.
func (t *Target) name(number int) string {
	if t.Split && !t.Partitioned {
		return Numbered(t.Path, number)
	}
	return t.Path
}

// Content describes the rows of an output.
type Content struct {
	Rows     *arrow.Schema       // of the tables that are written
	Stored   *arrow.Schema       // the same with dictionaries where the files have them; nil: Rows
	Columns  []int               // of the tables, that the files get; nil: all
	Template *tablefile.Template // of the Parquet file whose metadata and compression are kept; nil: none

	Partitions *Partitions // of the rows; nil: none
}

// options returns the options to write a file.
func (t *Target) options(c Content) tablefile.WriteOptions {
	opts := t.Write
	if opts.Format == tablefile.Parquet {
		opts.Template, opts.PageRows, opts.PageVersion = c.Template, t.PageRows, t.PageVersion
		opts.Encodings = t.Encodings
		opts.RowGroupRows = maxGroupRows // a table that is written is a row group
		if c.Stored != nil {
			opts.Schema = arraydata.Pick(c.Stored, c.Columns)
		}
	}
	return opts
}

// taking returns the options to copy rows.
func (t *Target) taking() arrowsort.Options {
	return arrowsort.Options{Threads: t.Write.Threads, Allocator: t.Write.Allocator}
}
