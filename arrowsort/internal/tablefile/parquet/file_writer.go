package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
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

// A rowGroupWriter joins encoded columns to one file, the columns of a row group one after the other.
type rowGroupWriter struct {
	w       io.Writer
	n       int64                  // bytes written
	columns int                    // of a row group
	written int                    // columns so far
	footer  *metadata.FileMetaData // of the file, growing
	index   []encodedIndex         // of the column chunks of the file, in their order
}

// A encodedIndex is the index of a column chunk, encoded.
type encodedIndex struct{ columns, offsets []byte }

func (s *rowGroupWriter) write(b []byte) error {
	n, err := s.w.Write(b)
	s.n += int64(n)
	return err
}

func (s *rowGroupWriter) start() error { return s.write([]byte(page.Magic)) }

// append writes the column chunks of an encoded column and moves their metadata to where they are.
func (s *rowGroupWriter) append(p writer.EncodedColumn) error {
	shift := s.n - int64(len(page.Magic))
	group := p.Footer.RowGroups[0]
	move(group.FileOffset, shift)
	for _, c := range group.Columns {
		c.FileOffset += shift
		c.MetaData.DataPageOffset += shift
		move(c.MetaData.DictionaryPageOffset, shift)
		move(c.MetaData.IndexPageOffset, shift)
	}
	if s.written%s.columns == 0 {
		ordinal := int16(len(s.footer.RowGroups))
		group.Ordinal = &ordinal
		s.footer.RowGroups = append(s.footer.RowGroups, group)
	} else {
		whole := s.footer.RowGroups[len(s.footer.RowGroups)-1]
		whole.Columns = append(whole.Columns, group.Columns...)
		whole.TotalByteSize += group.TotalByteSize
		if whole.TotalCompressedSize != nil && group.TotalCompressedSize != nil {
			*whole.TotalCompressedSize += *group.TotalCompressedSize
		}
	}
	for i := range p.Index {
		s.index = append(s.index, encodedIndex{p.Index[i].ColumnIndex(), p.Index[i].OffsetIndex(shift)})
	}
	if s.written++; s.written%s.columns == 0 {
		shareChunks(s.footer, len(s.footer.RowGroups)-1)
	}
	return s.write(p.File[len(page.Magic):])
}

func move(offset *int64, by int64) {
	if offset != nil && *offset > 0 {
		*offset += by
	}
}

// writeIndex writes the index of all column chunks: first what is in the pages, then where they are.
func (s *rowGroupWriter) writeIndex() error {
	for part := range 2 {
		next := 0
		for _, group := range s.footer.RowGroups {
			for _, c := range group.Columns {
				b, at, size := s.index[next].columns, &c.ColumnIndexOffset, &c.ColumnIndexLength
				if part == 1 {
					b, at, size = s.index[next].offsets, &c.OffsetIndexOffset, &c.OffsetIndexLength
				}
				if err := s.writePart(b, at, size); err != nil {
					return err
				}
				next++
			}
		}
	}
	return nil
}

// writePart writes a part of an index and notes its place. A chunk that was copied may have none.
func (s *rowGroupWriter) writePart(b []byte, offset **int64, length **int32) error {
	if b == nil {
		return nil
	}
	at, size := s.n, int32(len(b))
	*offset, *length = &at, &size
	return s.write(b)
}

// finish writes the page index and the footer.
func (s *rowGroupWriter) finish(rows int64, layout *Layout) error {
	if err := s.writeIndex(); err != nil {
		return err
	}
	evenBounds(s.footer)
	s.footer.NumRows = rows // also without columns
	if layout != nil {
		layout.copySchema(s.footer)
	}
	return s.writeFooter()
}

func (s *rowGroupWriter) writeFooter() error {
	var footer bytes.Buffer
	if _, err := s.footer.WriteTo(&footer, nil); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(footer.Bytes(), uint32(footer.Len()))
	return s.write(append(b, page.Magic...))
}

// evenBounds leaves the bounds of a column out of all row groups where one of them has values without bounds, NaN or
// long text. DataFusion takes the bounds of the others for those of the file, and finds no rows outside of them.
func evenBounds(footer *metadata.FileMetaData) {
	for leaf := range footer.Schema.NumColumns() {
		lacking := false
		for _, group := range footer.RowGroups {
			m := group.Columns[leaf].MetaData
			s := m.Statistics
			lacking = lacking || m.NumValues > 0 && (s == nil || (s.MinValue == nil || s.MaxValue == nil) &&
				(s.Min == nil || s.Max == nil) && (s.NullCount == nil || *s.NullCount < m.NumValues))
		}
		for _, group := range footer.RowGroups {
			if s := group.Columns[leaf].MetaData.Statistics; lacking && s != nil {
				s.Min, s.Max, s.MinValue, s.MaxValue = nil, nil, nil, nil
			}
		}
	}
}
