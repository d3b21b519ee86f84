package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
)

// A piece is a column of a row group, encoded as a Parquet file with nothing else.
type piece struct {
	file   []byte // without the footer
	footer *metadata.FileMetaData
	index  []pageIndex // of its column chunks
}

// parsePiece takes a Parquet file apart that was just written.
func parsePiece(file []byte) (piece, error) {
	tail := len(file) - 8 // length of the footer and magic
	length := int(binary.LittleEndian.Uint32(file[tail:]))
	footer, err := metadata.NewFileMetaData(file[tail-length:tail], nil)
	if err != nil {
		return piece{}, fmt.Errorf("the encoded column cannot be read: %w", err)
	}
	return piece{file: file[:tail-length], footer: footer}, nil
}

// check makes sure that no row was left out: pqarrow writes nothing for an array that it does not understand.
func (p piece) check(field arrow.Field, rows int64) error {
	for _, c := range p.footer.RowGroups[0].Columns {
		if n := c.MetaData.NumValues; n < rows {
			return fmt.Errorf("column %q: Parquet cannot hold type %s, %d of %d rows were written", field.Name, field.Type, n, rows)
		}
	}
	return nil
}

// emptyFooter is the footer of a file with all columns and no rows.
func (e *columnEncoder) emptyFooter() (*metadata.FileMetaData, error) {
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(e.columns, &file, e.props, e.arrowProps)
	if err != nil {
		return nil, err
	}
	if err := storeSchema(w, withTypes(e.schema, namedType), e.opts.Allocator); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p, err := parsePiece(file.Bytes())
	return p.footer, err
}

// A stitcher joins pieces to one file, the columns of a row group one after the other.
type stitcher struct {
	w      io.Writer
	n      int64                  // bytes written
	fields int                    // pieces of a row group
	pieces int                    // pieces so far
	footer *metadata.FileMetaData // of the file, growing
	index  []chunkIndex           // of the column chunks of the file, in their order
}

// A chunkIndex is the index of a column chunk, encoded.
type chunkIndex struct{ columns, offsets []byte }

func (s *stitcher) write(b []byte) error {
	n, err := s.w.Write(b)
	s.n += int64(n)
	return err
}

func (s *stitcher) start() error { return s.write([]byte(parquetMagic)) }

// append writes the column chunks of a piece and moves their metadata to where they are.
func (s *stitcher) append(p piece) error {
	shift := s.n - int64(len(parquetMagic))
	group := p.footer.RowGroups[0]
	move(group.FileOffset, shift)
	for _, c := range group.Columns {
		c.FileOffset += shift
		c.MetaData.DataPageOffset += shift
		move(c.MetaData.DictionaryPageOffset, shift)
		move(c.MetaData.IndexPageOffset, shift)
	}
	if s.pieces%s.fields == 0 {
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
	for i := range p.index {
		s.index = append(s.index, chunkIndex{p.index[i].columnIndex(), p.index[i].offsetIndex(shift)})
	}
	s.pieces++
	return s.write(p.file[len(parquetMagic):])
}

func move(offset *int64, by int64) {
	if offset != nil && *offset > 0 {
		*offset += by
	}
}

// writeIndex writes the index of all column chunks: first what is in the pages, then where they are.
func (s *stitcher) writeIndex() error {
	next := 0
	for _, group := range s.footer.RowGroups {
		for _, c := range group.Columns {
			if x := s.index[next].columns; x != nil {
				at, size := s.n, int32(len(x))
				c.ColumnIndexOffset, c.ColumnIndexLength = &at, &size
				if err := s.write(x); err != nil {
					return err
				}
			}
			next++
		}
	}
	next = 0
	for _, group := range s.footer.RowGroups {
		for _, c := range group.Columns {
			if x := s.index[next].offsets; x != nil { // a chunk that was copied may have none
				at, size := s.n, int32(len(x))
				c.OffsetIndexOffset, c.OffsetIndexLength = &at, &size
				if err := s.write(x); err != nil {
					return err
				}
			}
			next++
		}
	}
	return nil
}

// finish writes the page index and the footer.
func (s *stitcher) finish(rows int64, layout *Layout) error {
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

func (s *stitcher) writeFooter() error {
	var footer bytes.Buffer
	if _, err := s.footer.WriteTo(&footer, nil); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(footer.Bytes(), uint32(footer.Len()))
	return s.write(append(b, parquetMagic...))
}
