package tablefile

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/metadata"
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
