package tablefile

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
)

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
