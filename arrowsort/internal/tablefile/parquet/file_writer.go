package parquet

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

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
