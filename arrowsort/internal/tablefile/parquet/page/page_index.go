package page

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// An Index is the page index of a column chunk: location, bounds and null count of each data page. Readers use it to
// skip pages. In the file it is two structs of parquet.thrift, OffsetIndex and ColumnIndex, which file_builder.go of
// package parquet writes before the footer.
type Index struct {
	Column   *schema.Column
	Entries  []PageLocation
	Distinct int64 // different values, where a dictionary shows them; 0: not known
	Foreign  bool  // some page has an encoding that is not decoded here, so that its bounds are unknown
	split    bool  // some page starts within a row, so that readers cannot start there
}

// A PageLocation is the location of a data page, as in an OffsetIndex, and its bounds.
type PageLocation struct {
	Offset int64 // of its header, in what the Writer writes
	Size   int   // with its header
	Row    int   // the first one, in the row group
	Statistics
}

// Statistics returns the statistics of the column chunk. It has no upper bound where that of a page could not be cut:
// the page index has to have it whole, the metadata need not.
func (x *Index) Statistics() Statistics {
	compare, all := ValueOrder(x.Column), Statistics{Bounds: Bounds{AllNull: true}}
	lacksMin, lacksMax := false, false
	for i := range x.Entries {
		p := &x.Entries[i].Statistics
		all.Sizes.add(&p.Sizes)
		all.Nulls, all.NaNs = all.Nulls+p.Nulls, all.NaNs+p.NaNs
		all.AllNull, all.NegativeNaN = all.AllNull && p.AllNull, all.NegativeNaN || p.NegativeNaN
		lacksMin, lacksMax = lacksMin || p.LacksMin(), lacksMax || p.LacksMax() || mayCut(p.Max, x.Column)
		if p.Min != nil && !lacksMin {
			widenTo(&all.Min, &all.MinInexact, p.Min, p.MinInexact, compare)
		}
		if p.Max != nil && !lacksMax {
			widenTo(&all.Max, &all.MaxInexact, p.Max, p.MaxInexact, func(a, b []byte) int { return compare(b, a) })
		}
	}
	if lacksMin {
		all.Min, all.MinInexact = nil, false
	}
	if lacksMax {
		all.Max, all.MaxInexact = nil, false
	}
	return all
}

// widenTo widens a bound, a lower one by the order of compare, to that of a page. A bound that a page has as a value is
// exact.
func widenTo(bound *[]byte, inexact *bool, of []byte, ofInexact bool, compare func(a, b []byte) int) {
	order := -1
	if *bound != nil {
		order = compare(of, *bound)
	}
	if order < 0 || order == 0 && !ofInexact {
		*bound, *inexact = of, ofInexact
	}
}

// BoundaryOrder of parquet.thrift.
const (
	unorderedPages  = 0
	ascendingPages  = 1
	descendingPages = 2
)

// OffsetIndex encodes the OffsetIndex of pages that are moved by shift bytes; nil if a page starts within a row.
func (x *Index) OffsetIndex(shift int64) []byte {
	if x.split {
		return nil
	}
	var w compactWriter
	w.list(1, ThriftStruct, len(x.Entries))
	for _, p := range x.Entries {
		location := compactWriter{b: w.b}
		location.long(1, p.Offset+shift)
		location.number(2, p.Size)
		location.long(3, int64(p.Row))
		w.b = append(location.b, thriftStop)
	}
	if s := x.Statistics(); len(x.Entries) > 0 && s.HasBytes(x.Column) {
		w.list(2, thriftI64, len(x.Entries))
		for _, p := range x.Entries {
			w.element(p.Bytes)
		}
	}
	return append(w.b, thriftStop)
}

// ColumnIndex encodes the ColumnIndex; nil if the bounds of a page are unknown, or without an OffsetIndex.
func (x *Index) ColumnIndex() []byte {
	for _, p := range x.Entries {
		if x.split || !p.AllNull && (p.Min == nil || p.Max == nil) {
			return nil
		}
	}
	var w compactWriter
	w.list(1, ThriftTrue, len(x.Entries))
	for _, p := range x.Entries {
		if p.AllNull {
			w.b = append(w.b, ThriftTrue)
		} else {
			w.b = append(w.b, thriftFalse)
		}
	}
	w.list(2, ThriftBinary, len(x.Entries))
	for _, p := range x.Entries {
		w.binary(p.Min)
	}
	w.list(3, ThriftBinary, len(x.Entries))
	for _, p := range x.Entries {
		w.binary(p.Max)
	}
	w.number(4, x.order())
	w.list(5, thriftI64, len(x.Entries))
	for _, p := range x.Entries {
		w.element(p.Nulls)
	}
	w.histograms(6, x.Entries, func(s *Sizes) []int64 { return s.Repetitions })
	w.histograms(7, x.Entries, func(s *Sizes) []int64 { return s.Definitions })
	if HoldsFloats(x.Column) {
		w.list(8, thriftI64, len(x.Entries))
		for _, p := range x.Entries {
			w.element(p.NaNs)
		}
	}
	return append(w.b, thriftStop)
}

// histograms writes the histograms of levels of all pages one after the other; none where pages have none.
func (w *compactWriter) histograms(field int, pages []PageLocation, of func(s *Sizes) []int64) {
	if len(pages) == 0 || of(&pages[0].Sizes) == nil {
		return
	}
	w.list(field, thriftI64, len(pages)*len(of(&pages[0].Sizes)))
	for i := range pages {
		for _, n := range of(&pages[i].Sizes) {
			w.element(n)
		}
	}
}

// An IndexPlace is the location of an encoded OffsetIndex or ColumnIndex in a file; of length 0: the chunk has none.
type IndexPlace struct {
	Offset int64
	Length int
}

// AppendColumnChunk appends an encoded ColumnChunk struct, and the location of its page index, which it has to lack.
func AppendColumnChunk(out, chunk []byte, columns, offsets IndexPlace) []byte {
	const lastField = 3 // of the chunk: its metadata
	w := compactWriter{b: append(out, chunk[:len(chunk)-1]...), field: lastField}
	if offsets.Length > 0 {
		w.long(4, offsets.Offset)
		w.number(5, offsets.Length)
	}
	if columns.Length > 0 {
		w.long(6, columns.Offset)
		w.number(7, columns.Length)
	}
	return append(w.b, thriftStop)
}

// order returns the BoundaryOrder of the pages, which allows binary search. Pages of nulls do not count.
func (x *Index) order() int {
	compare := ValueOrder(x.Column)
	if compare == nil {
		return unorderedPages
	}
	rising, falling := true, true
	var last *PageLocation
	for i := range x.Entries {
		p := &x.Entries[i]
		if p.AllNull {
			continue
		}
		if last != nil {
			low, high := compare(last.Min, p.Min), compare(last.Max, p.Max)
			rising = rising && low <= 0 && high <= 0
			falling = falling && low >= 0 && high >= 0
		}
		last = p
	}
	switch {
	case rising:
		return ascendingPages
	case falling:
		return descendingPages
	}
	return unorderedPages
}

// pageCounts are what the levels of a data page say.
type pageCounts struct {
	rows    int    // that start in it
	present int    // values that are not null
	values  []byte // their bytes
	sizes   Sizes  // without bytes
}

// count counts the levels of a data page of a column.
func (p *Page) count(column *schema.Column) (c pageCounts, err error) {
	c.rows, c.present, c.values = p.Values, p.Values, p.Body
	of := func(levels []byte, most int16) ([]int64, error) {
		if p.Kind == Data {
			if p.DefinitionLevelEncoding != RLE || len(c.values) < 4 {
				return nil, errkind.Corrupt("levels of encoding %d in %d bytes", p.DefinitionLevelEncoding,
					len(c.values))
			}
			size := int(binary.LittleEndian.Uint32(c.values))
			levels, c.values = c.values[4:][:size], c.values[4+size:]
		}
		r := RLEReader{Bytes: levels, Width: bits.Len16(uint16(most))}
		return r.Histogram(p.Values, int(most)+1)
	}
	if most := column.MaxRepetitionLevel(); most > 0 {
		if c.sizes.Repetitions, err = of(p.RepetitionLevels, most); err != nil {
			return c, err
		}
		c.rows = int(c.sizes.Repetitions[0])
	}
	if most := column.MaxDefinitionLevel(); most > 0 {
		counts, err := of(p.DefinitionLevels, most)
		if err != nil {
			return c, err
		}
		if c.present = int(counts[most]); most > 1 {
			c.sizes.Definitions = counts
		}
	}
	return c, nil
}

// ValuesOf returns the bytes of the values of a page of a column in plain encoding: all of a dictionary, those after
// the levels of a plain data page, none of another one.
func (p *Page) ValuesOf(column *schema.Column) ([]byte, error) {
	if p.Kind == Dictionary {
		return p.Body, nil
	} else if p.Encoding != Plain {
		return nil, nil
	}
	c, err := p.count(column)
	return c.values, err
}

// EachPage reads the pages up to the last value. use gets each page, and of a data page its first row and its
// statistics, as a copy; there are no bounds of pages in encodings that are not decoded here. It returns the number of
// different values, as PlainBounds.Distinct does.
func (r *Reader) EachPage(use func(p *Page, row int, s Statistics) error) (distinct int64, err error) {
	var plain PlainBounds
	plain.Reset(r.column)
	for row := 0; r.values > 0; {
		p, err := r.Next()
		if err != nil {
			return 0, err
		}
		if p.Kind == Dictionary {
			plain.SetEntries(slices.Clone(p.Body), p.Values)
			if err := use(&p, 0, Statistics{}); err != nil {
				return 0, r.named(err)
			}
			continue
		}
		c, err := p.count(r.column)
		if err != nil {
			return 0, r.named(err)
		}
		encoding, values := p.Encoding, c.values
		if typ := r.column.PhysicalType(); Converts(encoding, typ) {
			values, err = r.buffers.PlainValues(values, c.present, encoding, typ)
			encoding = Plain
		}
		if err != nil {
			return 0, r.named(err)
		}
		s, err := plain.OfPage(encoding, values, c.present)
		if err != nil {
			return 0, r.named(err)
		}
		s.Nulls = int64(p.Values - c.present)
		s.Repetitions, s.Definitions = c.sizes.Repetitions, c.sizes.Definitions
		if err := use(&p, row, s); err != nil {
			return 0, r.named(err)
		}
		row += c.rows
	}
	return plain.Distinct(), nil
}

// Index makes the page index from the pages that EachPage reads. An encoding that is not decoded here and that the
// metadata do not name is an error.
func (r *Reader) Index(named func(encoding int) bool) (x *Index, err error) {
	x = &Index{Column: r.column}
	x.Distinct, err = r.EachPage(func(p *Page, row int, s Statistics) error {
		if p.Kind == Dictionary {
			return nil
		}
		if e := p.Encoding; e != Plain && !IsDictionary(e) && !Converts(e, r.column.PhysicalType()) {
			if x.Foreign = true; !named(e) {
				return errkind.Corrupt("it has encoding %d, which the metadata do not name", e)
			}
		}
		entry := PageLocation{Offset: r.Start, Size: int(r.Offset() - r.Start), Row: row, Statistics: s}
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
