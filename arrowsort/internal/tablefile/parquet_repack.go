package tablefile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
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
func (w *pageWriter) repack(p piece, out []byte, e *columnEncoder) (piece, error) {
	w.start(out)
	group := p.footer.RowGroups[0]
	group.TotalByteSize = 0
	for i, c := range group.Columns {
		m, column := c.MetaData, p.footer.Schema.Column(i)
		from := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			from = *m.DictionaryPageOffset
			*m.DictionaryPageOffset = int64(len(w.out))
		}
		if err := w.chunk(column, e); err != nil {
			return piece{}, err
		}
		start, size := int64(len(w.out)), int64(w.size)
		data, err := w.repackChunk(p.file[from:from+m.TotalCompressedSize], column)
		if err != nil {
			return piece{}, err
		}
		m.DataPageOffset = data
		m.TotalCompressedSize, m.TotalUncompressedSize = int64(len(w.out))-start, int64(w.size)-size
		c.FileOffset = int64(len(w.out)) // pqarrow's place for it: behind the pages
		group.TotalByteSize += m.TotalUncompressedSize
		setEnum(&m.Codec, e.codecs[column.Path()])
		setStatistics(p.footer, 0, i, &w.index[i])
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = int64(len(w.out) - len(parquetMagic))
	}
	p.file, p.index = w.finish()
	return p, nil
}

// setStatistics gives a column chunk the statistics of its pages, in place of others.
func setStatistics(footer *metadata.FileMetaData, group, leaf int, x *pageIndex) {
	all := x.bounds()
	s := fresh(&footer.RowGroups[group].Columns[leaf].MetaData.Statistics)
	s.NullCount = &all.nulls
	if !all.empty && !all.unknown && max(len(all.low), len(all.high)) <= longestStatistic {
		s.MinValue, s.MaxValue = all.low, all.high
		if x.column.SortOrder() == schema.SortSIGNED {
			s.Min, s.Max = all.low, all.high // where old readers look
		}
	}
}

// fresh makes a struct of the footer whose type has no name here.
func fresh[T any](field **T) *T {
	*field = new(T)
	return *field
}

// longestStatistic is the bytes of a value up to which it is a bound in the metadata of a column chunk.
const longestStatistic = 4096

// repackChunk writes the pages of a column chunk and returns where the first data page lies.
func (w *pageWriter) repackChunk(chunk []byte, column *schema.Column) (first int64, err error) {
	row, bounds := 0, newPlainBounds(column)
	var entries [][]byte // of the dictionary
	r := &compactReader{b: chunk}
	for r.at < len(chunk) {
		p := r.page()
		if p.kind == dictionaryPage {
			w.page(dictionaryPage, p.body, p.values, p.encoding)
			entries = bounds.split(p.body, p.values)
			continue
		}
		rows, present, err := p.count(column)
		if err != nil {
			return 0, err
		}
		w.page(dataPage, p.body, p.values, p.encoding, rleEncoding, rleEncoding)
		if first == 0 {
			first = int64(w.at)
		}
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

// page reads a page that was just written.
func (r *compactReader) page() (p writtenPage) {
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
