package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// pqarrow writes pages without compression and statistics. They are rewritten here, with both.

// rewritePages compresses the pages that pqarrow wrote and makes their page index. first is the number of the first
// leaf column in the file.
func (w *flatEncoder) rewritePages(p EncodedColumn, out []byte, e *Encoder, first int) (EncodedColumn, error) {
	w.Start(out)
	written := p.Footer.Schema
	if err := e.decimalsAsStored(p.Footer, first); err != nil {
		return EncodedColumn{}, err
	}
	scratch := page.NewBuffers(e.opts.Allocator)
	defer scratch.Release()
	group := p.Footer.RowGroups[0]
	group.TotalByteSize = 0
	for i, c := range group.Columns {
		m, column := c.MetaData, p.Footer.Schema.Column(i)
		from := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			from = *m.DictionaryPageOffset
			*m.DictionaryPageOffset = w.Offset()
		}
		if err := w.StartChunk(column, e.codecs[column.Path()], e.opts.Level); err != nil {
			return EncodedColumn{}, err
		}
		start, size := w.Offset(), w.Uncompressed()
		chunk := page.Chunk{Start: from, Size: m.TotalCompressedSize, Values: m.NumValues,
			Codec: compress.Codecs.Uncompressed, Column: written.Column(i)}
		data, err := w.rewriteChunk(chunk, p.File, scratch, newDecimalForm(written.Column(i), column))
		if err != nil {
			return EncodedColumn{}, err
		}
		m.DataPageOffset = data
		m.TotalCompressedSize, m.TotalUncompressedSize = w.Offset()-start, w.Uncompressed()-size
		c.FileOffset = w.Offset() // pqarrow's place for it: after the pages
		group.TotalByteSize += m.TotalUncompressedSize
		setEnum(&m.Codec, e.codecs[column.Path()])
		setEnum(&m.Type, column.PhysicalType())
		SetStatistics(p.Footer, 0, i, &w.Index[i])
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = w.Offset() - int64(len(page.Magic))
	}
	p.File, p.Index = w.Finish()
	return p, nil
}

// rewriteChunk writes the pages of a column chunk, with decimals in a form. It returns the offset of the first data
// page.
func (w *flatEncoder) rewriteChunk(chunk page.Chunk, file []byte, s *page.Buffers,
	form *decimalForm) (first int64, err error) {
	r, err := s.Open(bytes.NewReader(file), chunk, 0)
	if err != nil {
		return 0, err
	}
	err = r.EachPage(func(p *page.Page, row int, bounds page.Bounds) error {
		body := p.Body
		if form.rewrites(p) {
			if w.body, err = form.page(w.body, p, chunk.Column); err != nil {
				return err
			}
			body = w.body
		}
		if p.Kind == page.Dictionary {
			w.Add(page.Dictionary, body, p.Values, p.Encoding)
			return nil
		}
		if first == 0 {
			first = w.Offset()
		}
		w.Add(page.Data, body, p.Values, p.Encoding, page.RLE, page.RLE)
		w.IndexPage(row, form.bounds(bounds))
		return nil
	})
	return first, err
}

// An EncodedColumn is a column of a row group, encoded as a Parquet file with nothing else.
type EncodedColumn struct {
	File   []byte // without the footer
	Footer *metadata.FileMetaData
	Index  []page.Index // of its column chunks
}

// parseEncoded splits a Parquet file in memory into pages and footer.
func parseEncoded(file []byte) (EncodedColumn, error) {
	tail := len(file) - 8 // length of the footer and magic
	length := int(binary.LittleEndian.Uint32(file[tail:]))
	footer, err := metadata.NewFileMetaData(file[tail-length:tail], nil)
	if err != nil {
		return EncodedColumn{}, fmt.Errorf("the encoded column cannot be read: %w", err)
	}
	return EncodedColumn{File: file[:tail-length], Footer: footer}, nil
}

// check makes sure that all rows were written: pqarrow skips arrays that it does not support.
func (p EncodedColumn) check(field arrow.Field, rows int64) error {
	for _, c := range p.Footer.RowGroups[0].Columns {
		if n := c.MetaData.NumValues; n < rows {
			return fmt.Errorf("column %q: Parquet cannot hold type %s, %d of %d rows were written", field.Name,
				field.Type, n, rows)
		}
	}
	return nil
}
