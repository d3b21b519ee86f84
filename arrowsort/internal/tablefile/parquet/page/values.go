package page

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// Count counts the rows that start in a data page and the values that are not null, and finds the bytes of these.
func (p *Page) Count(column *schema.Column) (rows, present int, values []byte, err error) {
	rows, present, values = p.Values, p.Values, p.Body
	count := func(levels []byte, most, wanted int16) (int, error) {
		if p.Kind == Data {
			if p.Levels != RLE || len(values) < 4 {
				return 0, fileerror.Corrupt("levels of encoding %d in %d bytes", p.Levels, len(values))
			}
			size := int(binary.LittleEndian.Uint32(values))
			levels, values = values[4:][:size], values[4+size:]
		}
		r := HybridReader{Bytes: levels, Width: bits.Len16(uint16(most))}
		return r.Count(p.Values, uint32(wanted))
	}
	if most := column.MaxRepetitionLevel(); most > 0 {
		if rows, err = count(p.Repeats, most, 0); err != nil {
			return 0, 0, nil, err
		}
	}
	if most := column.MaxDefinitionLevel(); most > 0 {
		present, err = count(p.Present, most, most)
	}
	return rows, present, values, err
}

// Index reads the pages up to the last value and makes their index. They are plain or have a dictionary.
func (r *Reader) Index() (*Index, error) {
	x, row := &Index{Column: r.column}, 0
	var bounds PlainBounds
	bounds.Reset(r.column)
	for r.values > 0 {
		p, err := r.Next()
		if err != nil {
			return nil, err
		}
		if p.Kind == Dictionary {
			bounds.SetEntries(slices.Clone(p.Body), p.Values)
			continue
		}
		rows, present, values, err := p.Count(r.column)
		if err != nil {
			return nil, r.named(err)
		}
		found, err := bounds.OfPage(p.Encoding, values, present)
		if err != nil {
			return nil, r.named(err)
		}
		found.Nulls = int64(p.Values - present)
		x.Entries = append(x.Entries, IndexEntry{At: r.Start, Size: int(r.Offset() - r.Start), Row: row, Bounds: found})
		row += rows
	}
	return x, nil
}
