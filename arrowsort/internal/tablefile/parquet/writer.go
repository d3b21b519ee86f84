package tablefile

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// parquetWriteOptions are the options of a parquetWriter.
type parquetWriteOptions struct {
	parquetEncodeOptions
	Layout  *Layout         // of the file whose schema, metadata and compression are kept; or nil
	Sorting []SortingColumn // the order of the rows
}

// A parquetWriter writes a Parquet file. The columns of the row groups are encoded in parallel, each as a file with
// nothing else; the file gets their column chunks one after the other and a footer with the places where they landed.
type parquetWriter struct {
	encoder *columnEncoder
	out     stitcher
	rows    int64 // so far
	opts    parquetWriteOptions
}

// newParquetWriter starts a file of tables of a schema.
func newParquetWriter(w io.Writer, schema *arrow.Schema, opts parquetWriteOptions) (*parquetWriter, error) {
	opts.Stored = opts.Layout.columns()
	e, err := newColumnEncoder(schema, opts.parquetEncodeOptions)
	if err != nil {
		return nil, err
	}
	f := &parquetWriter{encoder: e, opts: opts, out: stitcher{w: w, fields: schema.NumFields()}}
	if f.out.footer, err = e.emptyFooter(); err != nil {
		return nil, err
	}
	return f, f.out.start()
}

// Write writes row groups with the rows of a table.
func (f *parquetWriter) Write(ctx context.Context, table arrow.Table) error {
	if err := f.checkGroups(f.encoder.groups(table)); err != nil {
		return err
	}
	before := f.rows
	f.rows += f.encoder.total(table)
	return f.encoder.encodeTable(ctx, table, before, f.out.append)
}

// checkGroups makes sure that a number of further row groups can be in the file.
func (f *parquetWriter) checkGroups(further int) error {
	if n := len(f.out.footer.RowGroups) + further; n > math.MaxInt16 {
		return fmt.Errorf("%d row groups are more than the %d of Parquet: raise the rows of a row group", n, math.MaxInt16)
	}
	return nil
}

// Finish writes the footer.
func (f *parquetWriter) Finish() error {
	setSorting(f.out.footer, f.opts.Sorting)
	return f.out.finish(f.rows, f.opts.Layout)
}
