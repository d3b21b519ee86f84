package tablefile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// Copies reports whether a Writer of a schema can Copy the row groups of a file instead of writing its rows: both are
// Parquet, with the same columns, and the row groups are worth it.
func Copies(s *Scanner, schema *arrow.Schema, opts WriteOptions) bool {
	return s.parquet != nil && opts.Format == Parquet && s.parquet.Copies(schema, opts.parquet())
}

// Copy appends the row groups of a file that Copies. It reports now and then how many more bytes are copied. Errors
// name one of the files.
func (w *Writer) Copy(ctx context.Context, s *Scanner, report func(bytes int64)) error {
	w.rows += s.Rows
	named := func(err error) error { return inFile(s.path, "standard input", err) }
	return w.named(fileerror.ContainWriting(func() error {
		return w.pieces.(*parquet.Writer).Copy(ctx, s.parquet, named, report)
	}))
}
