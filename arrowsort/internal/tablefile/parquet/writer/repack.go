package tablefile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"
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

// repack writes the pages of a piece anew, in memory that is used again.
func (w *flatEncoder) repack(p piece, out []byte, e *columnEncoder) (piece, error) {
	w.start(out)
	group := p.footer.RowGroups[0]
	group.TotalByteSize = 0
	for i, c := range group.Columns {
		m, column := c.MetaData, p.footer.Schema.Column(i)
		from := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			from = *m.DictionaryPageOffset
			*m.DictionaryPageOffset = w.offset()
		}
		if err := w.chunk(column, e.codecs[column.Path()], e.opts.Level); err != nil {
			return piece{}, err
		}
		start, size := w.offset(), w.uncompressed()
		data, err := w.repackChunk(p.file[from:from+m.TotalCompressedSize], column)
		if err != nil {
			return piece{}, err
		}
		m.DataPageOffset = data
		m.TotalCompressedSize, m.TotalUncompressedSize = w.offset()-start, w.uncompressed()-size
		c.FileOffset = w.offset() // pqarrow's place for it: behind the pages
		group.TotalByteSize += m.TotalUncompressedSize
		setEnum(&m.Codec, e.codecs[column.Path()])
		setStatistics(p.footer, 0, i, &w.index[i])
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = w.offset() - int64(len(parquetMagic))
	}
	p.file, p.index = w.finish()
	return p, nil
}

// repackChunk writes the pages of a column chunk and returns where the first data page lies.
func (w *flatEncoder) repackChunk(chunk []byte, column *schema.Column) (first int64, err error) {
	row, bounds := 0, newPlainBounds(column)
	var entries [][]byte // of the dictionary
	r := &compactReader{b: chunk}
	for r.at < len(chunk) {
		p := readWritten(r)
		if p.kind == dictionaryPage {
			w.page(dictionaryPage, p.body, p.values, p.encoding)
			entries = bounds.split(p.body, p.values)
			continue
		}
		rows, present, err := p.count(column)
		if err != nil {
			return 0, err
		}
		if first == 0 {
			first = w.offset()
		}
		w.page(dataPage, p.body, p.values, p.encoding, rleEncoding, rleEncoding)
		found, err := p.bounds(bounds, present, entries)
		if err != nil {
			return 0, err
		}
		found.nulls = int64(p.values - present)
		w.indexed(row, found)
		row += rows
	}
	return first, nil
}

// bounds finds the bounds of the values of a data page, as a copy.
func (p *writtenPage) bounds(of *plainBounds, present int, entries [][]byte) (found pageBounds, err error) {
	values := p.body[p.valuesAt:]
	if p.encoding == plainEncoding {
		found = of.of(values, present)
	} else {
		found, err = of.ofIndices(values, present, entries)
	}
	found.low, found.high = slices.Clone(found.low), slices.Clone(found.high)
	return found, err
}

// readWritten reads a page that was just written.
func readWritten(r *compactReader) (p writtenPage) {
	size := 0
	r.fields(func(field int, typ byte) {
		switch field {
		case 1:
			p.kind = r.number()
		case 2:
			size = r.number()
		case 5, 7: // a data page, a dictionary
			r.fields(func(field int, typ byte) {
				switch field {
				case 1:
					p.values = r.number()
				case 2:
					p.encoding = r.number()
				default:
					r.skip(typ)
				}
			})
		default:
			r.skip(typ)
		}
	})
	p.body = r.b[r.at:][:size]
	r.at += size
	return p
}

// count counts the rows that start in a page and the values that are not null, and finds the first of these.
func (p *writtenPage) count(column *schema.Column) (rows, present int, err error) {
	rows, present = p.values, p.values
	levels := func(greatest, wanted int16) (int, error) {
		size := int(binary.LittleEndian.Uint32(p.body[p.valuesAt:]))
		r := hybridReader{b: p.body[p.valuesAt+4:][:size], width: bits.Len16(uint16(greatest))} // the footer is behind
		p.valuesAt += 4 + size
		return r.count(p.values, uint32(wanted))
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
