package page

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// count returns the number of rows that start in a data page, the number of values that are not null, and their bytes.
func (p *Page) count(column *schema.Column) (rows, present int, values []byte, err error) {
	rows, present, values = p.Values, p.Values, p.Body
	of := func(levels []byte, most, wanted int16) (int, error) {
		if p.Kind == Data {
			if p.DefinitionLevelEncoding != RLE || len(values) < 4 {
				return 0, errkind.Corrupt("levels of encoding %d in %d bytes", p.DefinitionLevelEncoding, len(values))
			}
			size := int(binary.LittleEndian.Uint32(values))
			levels, values = values[4:][:size], values[4+size:]
		}
		r := RLEReader{Bytes: levels, Width: bits.Len16(uint16(most))}
		return r.Count(p.Values, uint32(wanted))
	}
	if most := column.MaxRepetitionLevel(); most > 0 {
		if rows, err = of(p.RepetitionLevels, most, 0); err != nil {
			return 0, 0, nil, err
		}
	}
	if most := column.MaxDefinitionLevel(); most > 0 {
		present, err = of(p.DefinitionLevels, most, most)
	}
	return rows, present, values, err
}

// ValuesOf returns the bytes of the values of a data page of a column, after its levels.
func (p *Page) ValuesOf(column *schema.Column) ([]byte, error) {
	_, _, values, err := p.count(column)
	return values, err
}

// EachPage reads the pages up to the last value, which are plain or have a dictionary. use gets each page, and of a
// data page its first row and its bounds, as a copy.
func (r *Reader) EachPage(use func(p *Page, row int, bounds Bounds) error) error {
	var plain PlainBounds
	plain.Reset(r.column)
	for row := 0; r.values > 0; {
		p, err := r.Next()
		if err != nil {
			return err
		}
		if p.Kind == Dictionary {
			plain.SetEntries(slices.Clone(p.Body), p.Values)
			if err := use(&p, 0, Bounds{}); err != nil {
				return r.named(err)
			}
			continue
		}
		rows, present, values, err := p.count(r.column)
		if err != nil {
			return r.named(err)
		}
		bounds, err := plain.OfPage(p.Encoding, values, present)
		if err != nil {
			return r.named(err)
		}
		bounds.Nulls = int64(p.Values - present)
		if err := use(&p, row, bounds); err != nil {
			return r.named(err)
		}
		row += rows
	}
	return nil
}

// Index makes the page index from the pages that EachPage reads. An encoding that is not decoded here and that the
// metadata do not name is an error.
func (r *Reader) Index(named func(encoding int) bool) (*Index, error) {
	x := &Index{Column: r.column}
	err := r.EachPage(func(p *Page, row int, bounds Bounds) error {
		if p.Kind == Dictionary {
			return nil
		}
		if e := p.Encoding; e != Plain && e != PlainDictionary && e != RLEDictionary {
			if x.Foreign = true; !named(e) {
				return errkind.Corrupt("it has encoding %d, which the metadata do not name", e)
			}
		}
		entry := PageLocation{Offset: r.Start, Size: int(r.Offset() - r.Start), Row: row, Bounds: bounds}
		x.Entries = append(x.Entries, entry)
		x.split = x.split || !p.startsRow(r.column)
		return nil
	})
	return x, err
}

// startsRow reports whether the first value of a data page starts a row. Its levels were counted before.
func (p *Page) startsRow(column *schema.Column) bool {
	most, levels := column.MaxRepetitionLevel(), p.RepetitionLevels
	if most == 0 || p.Values == 0 {
		return true
	}
	if p.Kind == Data {
		levels = p.Body[4:][:binary.LittleEndian.Uint32(p.Body)]
	}
	var first [1]uint32
	r := RLEReader{Bytes: levels, Width: bits.Len16(uint16(most))}
	_, err := r.Read(first[:])
	return err == nil && first[0] == 0
}
