package writer

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// pqarrow leaves its pages uncompressed and without statistics. They are written once more, compressed and indexed.

// A writtenPage is a page of pqarrow.
type writtenPage struct {
	kind     int
	values   int // with nulls
	encoding int
	body     []byte
	valuesAt int // in the body, behind the levels
}

// repack writes the pages of an encoded column anew, in memory that is used again.
func (w *flatEncoder) repack(p EncodedColumn, out []byte, e *Encoder) (EncodedColumn, error) {
	w.Start(out)
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
		data, err := w.repackChunk(p.File[from:from+m.TotalCompressedSize], column)
		if err != nil {
			return EncodedColumn{}, err
		}
		m.DataPageOffset = data
		m.TotalCompressedSize, m.TotalUncompressedSize = w.Offset()-start, w.Uncompressed()-size
		c.FileOffset = w.Offset() // pqarrow's place for it: behind the pages
		group.TotalByteSize += m.TotalUncompressedSize
		setEnum(&m.Codec, e.codecs[column.Path()])
		SetStatistics(p.Footer, 0, i, &w.Index[i])
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = w.Offset() - int64(len(page.Magic))
	}
	p.File, p.Index = w.Finish()
	return p, nil
}

// repackChunk writes the pages of a column chunk and returns where the first data page lies.
func (w *flatEncoder) repackChunk(chunk []byte, column *schema.Column) (first int64, err error) {
	row, bounds := 0, page.NewPlainBounds(column)
	var entries [][]byte // of the dictionary
	r := &page.CompactReader{Bytes: chunk}
	for r.At < len(chunk) {
		p := readWritten(r)
		if p.kind == page.Dictionary {
			w.Add(page.Dictionary, p.body, p.values, p.encoding)
			entries = bounds.Split(p.body, p.values)
			continue
		}
		rows, present, err := p.count(column)
		if err != nil {
			return 0, err
		}
		if first == 0 {
			first = w.Offset()
		}
		w.Add(page.Data, p.body, p.values, p.encoding, page.RLE, page.RLE)
		found, err := p.bounds(bounds, present, entries)
		if err != nil {
			return 0, err
		}
		found.Nulls = int64(p.values - present)
		w.IndexPage(row, found)
		row += rows
	}
	return first, nil
}

// bounds finds the bounds of the values of a data page, as a copy.
func (p *writtenPage) bounds(of *page.PlainBounds, present int, entries [][]byte) (found page.Bounds, err error) {
	values := p.body[p.valuesAt:]
	if p.encoding == page.Plain {
		found = of.Of(values, present)
	} else {
		found, err = of.OfIndices(values, present, entries)
	}
	found.Low, found.High = slices.Clone(found.Low), slices.Clone(found.High)
	return found, err
}

// readWritten reads a page that was just written.
func readWritten(r *page.CompactReader) (p writtenPage) {
	size := 0
	r.Fields(func(field int, typ byte) {
		switch field {
		case 1:
			p.kind = r.Number()
		case 2:
			size = r.Number()
		case 5, 7: // a data page, a dictionary
			r.Fields(func(field int, typ byte) {
				switch field {
				case 1:
					p.values = r.Number()
				case 2:
					p.encoding = r.Number()
				default:
					r.Skip(typ)
				}
			})
		default:
			r.Skip(typ)
		}
	})
	p.body = r.Bytes[r.At:][:size]
	r.At += size
	return p
}

// count counts the rows that start in a page and the values that are not null, and finds the first of these.
func (p *writtenPage) count(column *schema.Column) (rows, present int, err error) {
	rows, present = p.values, p.values
	levels := func(greatest, wanted int16) (int, error) {
		size := int(binary.LittleEndian.Uint32(p.body[p.valuesAt:]))
		// The footer follows, so that there are bytes to spare.
		r := page.HybridReader{Bytes: p.body[p.valuesAt+4:][:size], Width: bits.Len16(uint16(greatest))}
		p.valuesAt += 4 + size
		return r.Count(p.values, uint32(wanted))
	}
	if most := column.MaxRepetitionLevel(); most > 0 {
		if rows, err = levels(most, 0); err != nil {
			return 0, 0, err
		}
	}
	if most := column.MaxDefinitionLevel(); most > 0 {
		present, err = levels(most, most)
	}
	return rows, present, err
}
