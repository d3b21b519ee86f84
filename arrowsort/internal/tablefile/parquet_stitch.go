package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// parseGroup takes a Parquet file apart that was just written.
func parseGroup(file []byte) (encodedGroup, error) {
	tail := len(file) - 8 // length of the footer and magic
	length := int(binary.LittleEndian.Uint32(file[tail:]))
	footer, err := metadata.NewFileMetaData(file[tail-length:tail], nil)
	if err != nil {
		return encodedGroup{}, fmt.Errorf("the encoded row group cannot be read: %w", err)
	}
	return encodedGroup{file: file[:tail-length], footer: footer}, nil
}

// A stitcher joins encoded row groups to one file.
type stitcher struct {
	w      io.Writer
	n      int64                  // bytes written
	footer *metadata.FileMetaData // of the file, growing
}

func (s *stitcher) write(b []byte) error {
	n, err := s.w.Write(b)
	s.n += int64(n)
	return err
}

func (s *stitcher) start() error { return s.write([]byte(parquetMagic)) }

// append writes the column chunks of a row group and moves its metadata to where they are.
func (s *stitcher) append(group encodedGroup) error {
	shift := s.n - int64(len(parquetMagic))
	for _, g := range group.footer.RowGroups {
		ordinal := int16(len(s.footer.RowGroups))
		g.Ordinal = &ordinal
		move(g.FileOffset, shift)
		for _, c := range g.Columns {
			c.FileOffset += shift
			c.MetaData.DataPageOffset += shift
			move(c.MetaData.DictionaryPageOffset, shift)
			move(c.MetaData.IndexPageOffset, shift)
		}
		s.footer.NumRows += g.NumRows
		s.footer.RowGroups = append(s.footer.RowGroups, g)
	}
	return s.write(group.file[len(parquetMagic):])
}

func move(offset *int64, by int64) {
	if offset != nil && *offset > 0 {
		*offset += by
	}
}

// finish writes the footer.
func (s *stitcher) finish(table arrow.Table, layout *Layout) error {
	if table.NumCols() == 0 {
		s.footer.NumRows = table.NumRows()
	}
	if layout != nil && layout.fits(s.footer) {
		layout.copySchema(s.footer)
	} else {
		markLocalTimes(s.footer, table.Schema())
	}
	var footer bytes.Buffer
	if _, err := s.footer.WriteTo(&footer, nil); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(footer.Bytes(), uint32(footer.Len()))
	return s.write(append(b, parquetMagic...))
}
