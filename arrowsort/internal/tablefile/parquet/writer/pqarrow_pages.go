package writer

import (
	"bytes"
	"io"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// pqarrow writes pages without compression. They are rewritten here with it, and their page index and Bloom filters are
// made.

// rewritePages compresses the pages that pqarrow wrote and makes their page index and Bloom filters. first is the
// number of the first leaf column in the file.
func (w *flatEncoder) rewritePages(p EncodedColumn, out []byte, with *properties, first int) (EncodedColumn, error) {
	w.Start(out, with.opts.secondPages())
	written := p.Footer.Schema
	if err := with.decimalsAsStored(p.Footer, first); err != nil {
		return EncodedColumn{}, err
	}
	scratch := page.NewBuffers(with.opts.Allocator)
	defer scratch.Release()
	group := p.Footer.RowGroups[0]
	group.TotalByteSize = 0
	p.Filters = make([][]byte, len(group.Columns))
	for i, c := range group.Columns {
		var err error
		m, column := c.MetaData, p.Footer.Schema.Column(i)
		from := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			from = *m.DictionaryPageOffset
			*m.DictionaryPageOffset = w.Offset()
		}
		if err := w.StartChunk(column, with.codecs[column.Path()], with.opts.Level); err != nil {
			return EncodedColumn{}, err
		}
		start, size := w.Offset(), w.Uncompressed()
		chunk := page.Chunk{Start: from, Size: m.TotalCompressedSize, Values: m.NumValues,
			Codec: compress.Codecs.Uncompressed, Column: written.Column(i)}
		var hashes *page.BloomHashes
		if with.bloom[first+i] > 0 {
			hashes = page.NewBloomHashes(column)
		}
		form := newDecimalForm(written.Column(i), column)
		if encodesLeaf(column.PhysicalType()) {
			choice := with.leafChoice(column, first+i)
			encoding, data, dictionary, err := w.encodeChunk(chunk, p.File, scratch, form, hashes, choice)
			if err != nil {
				return EncodedColumn{}, err
			}
			m.DataPageOffset = data
			setEncoding(p.Footer, i, encoding, dictionary)
		} else if m.DataPageOffset, err = w.rewriteChunk(chunk, p.File, scratch, form, hashes); err != nil {
			return EncodedColumn{}, err
		}
		if hashes != nil {
			p.Filters[i] = newBloomFilter(hashes, with.bloom[first+i])
		}
		m.TotalCompressedSize, m.TotalUncompressedSize = w.Offset()-start, w.Uncompressed()-size
		c.FileOffset = w.Offset() // pqarrow's place for it: after the pages
		group.TotalByteSize += m.TotalUncompressedSize
		setEnum(&m.Codec, with.codecs[column.Path()])
		setEnum(&m.Type, column.PhysicalType())
		setPageVersion(p.Footer, i, with.opts.secondPages())
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = w.Offset() - int64(len(page.Magic))
	}
	p.File, p.Index = w.Finish()
	return p, nil
}

// rewriteChunk writes the pages of a column chunk, with decimals in a form, and adds the values to hashes that are not
// nil. It returns the offset of the first data page.
func (w *flatEncoder) rewriteChunk(chunk page.Chunk, file []byte, s *page.Buffers, form *decimalForm,
	hashes *page.BloomHashes) (first int64, err error) {
	r, err := s.Open(bytes.NewReader(file), chunk, 0)
	if err != nil {
		return 0, err
	}
	chunkIndex := &w.Index[len(w.Index)-1]
	chunkIndex.Distinct, err = r.EachPage(func(p *page.Page, row int, s page.Statistics) error {
		body := p.Body
		if form.rewrites(p) {
			if w.body, err = form.page(w.body, p, chunk.Column); err != nil {
				return err
			}
			body = w.body
		}
		if hashes != nil {
			values, err := p.ValuesOf(chunk.Column)
			if err != nil {
				return err
			}
			hashes.Add(body[len(p.Body)-len(values):]) // after the levels, which are the same
		}
		if p.Kind == page.Dictionary {
			w.AddDictionary(body, p.Values, p.Encoding)
			return nil
		}
		if first == 0 {
			first = w.Offset()
		}
		w.AddData(body, row, p.Values, p.Encoding, form.statistics(s))
		return nil
	})
	return first, err
}

// writePages writes the pages of a column with pqarrow. rowName returns a name for a row in errors.
func (p *properties) writePages(file io.Writer, column int, of arrow.Field, rows *arrow.Chunked,
	rowName func(row int) string) error {
	pages, values := pagesOf(rows, p.pageRows())
	defer pages.Release()
	stored := make([]arrow18.Array, 0, len(pages.Chunks()))
	defer func() { arraydata.Release(stored) }()
	field, first := p.columns.Field(column), 0
	for _, page := range pages.Chunks() {
		a, err := toPqarrow(of, page, p.opts.Allocator, func(row int) string { return rowName(first + row) })
		if err != nil {
			return err
		}
		stored = append(stored, convert.ToArray(a, field.Type))
		a.Release()
		first += page.Len()
	}
	plain, err := p.plainLeaves(column)
	if err != nil {
		return err
	}
	options := append(slices.Clip(p.options), parquet.WithBatchSize(values))
	props := parquet.NewWriterProperties(append(options, plain...)...)
	w, err := pqarrow.NewFileWriter(arrow18.NewSchema([]arrow18.Field{field}, nil), file, props, p.arrow)
	if err != nil {
		return err
	}
	w.NewRowGroup()
	chunks := arrow18.NewChunked(field.Type, stored)
	defer chunks.Release()
	if err := w.WriteColumnChunked(chunks, 0, int64(rows.Len())); err != nil {
		return err
	}
	return w.Close()
}

// pagesOf cuts rows into chunks of at most some rows and about page.MaxBytes, each of which is to be a page. values
// are the most values of a leaf column that a chunk has. The caller releases the chunks.
func pagesOf(rows *arrow.Chunked, most int) (pages *arrow.Chunked, values int64) {
	var chunks []arrow.Array
	defer func() { arraydata.Release(chunks) }()
	for _, c := range rows.Chunks() {
		for row := 0; row < c.Len(); {
			page := pageFrom(c, row, most)
			chunks = append(chunks, page)
			row += page.Len()
			values = max(values, mostValues(page.Data()))
		}
	}
	return arrow.NewChunked(rows.DataType(), chunks), max(values, 1)
}

// pageFrom takes the rows of a page from a row on.
func pageFrom(a arrow.Array, row, most int) arrow.Array {
	rows := min(most, a.Len()-row)
	for rows > 1 && arraydata.ArrayBytes(a.Data(), a.Data().Offset()+row, rows) > page.MaxBytes {
		rows /= 2
	}
	return array.NewSlice(a, int64(row), int64(row+rows))
}

// mostValues returns at least the number of values of a leaf column, with the nulls that stand for lists without
// elements.
func mostValues(d arrow.ArrayData) int64 {
	n := int64(d.Len())
	for _, c := range d.Children() {
		n += mostValues(c)
	}
	return n
}
