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
	Template *Template // of the file whose schema, metadata and compression are kept; or nil
	Order    RowOrder
	Curve    *CurveOrder // the same, where it is that of a curve; or nil
}

// A Writer writes a Parquet file. The columns of the row groups are encoded in parallel, each as a file with
// nothing else; the file gets their column chunks one after the other and a footer with the places where they landed.
type Writer struct {
	encoder *writer.Encoder
	out     fileBuilder
	rows    int64 // so far
	opts    WriteOptions
}

// NewWriter starts a file of tables of a schema.
func NewWriter(w io.Writer, schema *arrow.Schema, opts WriteOptions) (*Writer, error) {
	opts.Stored = opts.Template.columns()
	schema = WithoutOrder(schema)
	if opts.Schema != nil {
		opts.Schema = WithoutOrder(opts.Schema)
	}
	e, err := writer.NewEncoder(schema, opts.EncodeOptions)
	if err != nil {
		return nil, err
	}
	return newWriter(w, e, schema.NumFields(), opts)
}

// Next starts another file of tables of the same schema, by the same encoder. Finish of the receiver precedes it.
func (f *Writer) Next(w io.Writer) (*Writer, error) {
	return newWriter(w, f.encoder, f.out.columns, f.opts)
}

func newWriter(w io.Writer, e *writer.Encoder, columns int, opts WriteOptions) (*Writer, error) {
	footer, err := e.EmptyFooter()
	if err != nil {
		return nil, err
	}
	f := &Writer{encoder: e, opts: opts, out: fileBuilder{w: w, columns: columns}}
	return f, f.out.start(footer, opts.Template)
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

// Finish writes page index and footer. A row group without all of its columns is an error.
func (f *Writer) Finish() error {
	footer := f.out.footer
	order := f.opts.Order
	if named := setSorting(footer, order.Sorting); order.Keys != nil && named >= len(order.Keys.Keys) {
		order.Keys = nil
	}
	footer.NumRows = f.rows // also without columns
	if f.opts.Template != nil {
		if err := f.opts.Template.copySchema(footer); err != nil {
			return err
		}
	}
	if err := setOrder(footer, f.opts.Curve, order.Keys); err != nil {
		return err
	}
	return f.out.finish()
}
