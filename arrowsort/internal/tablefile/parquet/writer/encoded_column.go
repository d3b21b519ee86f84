package writer

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A EncodedColumn is a column of a row group, encoded as a Parquet file with nothing else.
type EncodedColumn struct {
	File   []byte // without the footer
	Footer *metadata.FileMetaData
	Index  []page.Index // of its column chunks
}

// parseEncoded takes a Parquet file apart that was just written.
func parseEncoded(file []byte) (EncodedColumn, error) {
	tail := len(file) - 8 // length of the footer and magic
	length := int(binary.LittleEndian.Uint32(file[tail:]))
	footer, err := metadata.NewFileMetaData(file[tail-length:tail], nil)
	if err != nil {
		return EncodedColumn{}, fmt.Errorf("the encoded column cannot be read: %w", err)
	}
	return EncodedColumn{File: file[:tail-length], Footer: footer}, nil
}

// check makes sure that no row was left out: pqarrow writes nothing for an array that it does not understand.
func (p EncodedColumn) check(field arrow.Field, rows int64) error {
	for _, c := range p.Footer.RowGroups[0].Columns {
		if n := c.MetaData.NumValues; n < rows {
			return fmt.Errorf("column %q: Parquet cannot hold type %s, %d of %d rows were written", field.Name,
				field.Type, n, rows)
		}
	}
	return nil
}
