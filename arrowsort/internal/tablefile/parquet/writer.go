package parquet

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// WriteOptions are the options of a Writer.
type WriteOptions struct {
	EncodeOptions
	Layout  *Layout         // of the file whose schema, metadata and compression are kept; or nil
	Sorting []SortingColumn // the order of the rows
}

// A Writer writes a Parquet file. The columns of the row groups are encoded in parallel, each as a file with
// nothing else; the file gets their column chunks one after the other and a footer with the places where they landed.
type Writer struct {
	encoder *writer.Encoder
	out     rowGroupWriter
	rows    int64 // so far
	opts    WriteOptions
}

// NewWriter starts a file of tables of a schema.
func NewWriter(w io.Writer, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	opts.Stored = opts.Layout.columns()
	e, err := writer.NewEncoder(schema, opts.EncodeOptions)
	if err != nil {
		return nil, err
	}
	f := &Writer{encoder: e, opts: opts, out: rowGroupWriter{w: w, columns: schema.NumFields()}}
	if f.out.footer, err = e.EmptyFooter(); err != nil {
		return nil, err
	}
	return f, f.out.start()
}

// Write writes row groups with the rows of a table.
func (f *Writer) Write(ctx context.Context, table arrow.Table) error {
	if err := f.checkGroups(f.encoder.RowGroups(table)); err != nil {
		return err
	}
	before := f.rows
	f.rows += f.encoder.Rows(table)
	return f.encoder.Encode(ctx, table, before, f.out.append)
}

// checkGroups makes sure that a number of further row groups can be in the file.
func (f *Writer) checkGroups(further int) error {
	if n := len(f.out.footer.RowGroups) + further; n > math.MaxInt16 {
		return fmt.Errorf("%d row groups are more than the %d of Parquet: raise the rows of a row group", n,
			math.MaxInt16)
	}
	return nil
}

// Rows returns the number of rows of the row groups. Row groups without columns have none; then it is that of the
// tables.
func (f *Writer) Rows() (rows int64) {
	if f.out.columns == 0 {
		return f.rows
	}
	for _, group := range f.out.footer.RowGroups {
		rows += group.NumRows
	}
	return rows
}

// Finish writes the footer. A row group without all of its columns is an error.
func (f *Writer) Finish() error {
	leaves := f.out.footer.Schema.NumColumns()
	for i, group := range f.out.footer.RowGroups {
		if len(group.Columns) != leaves {
			return fmt.Errorf("row group %d has %d of %d columns", i, len(group.Columns), leaves)
		}
	}
	setSorting(f.out.footer, f.opts.Sorting)
	return f.out.finish(f.rows, f.opts.Layout)
}
