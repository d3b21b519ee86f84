package reader

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A chunkReader reads the rows of a flat column chunk in their order, any number at a time.
type chunkReader struct {
	pages    *page.Reader
	scratch  *page.Buffers
	nullable bool
	keep     func(p *page.Page) (int, error) // takes the dictionary and counts its entries
	entries  int                             // of the dictionary; -1: there is none yet

	left    int            // rows left of the page
	levels  page.RLEReader // which of them are there, of a column that can be null
	present bool           // all of them are
	packed  bool           // the values are indices into the dictionary
	plain   []byte         // or values that are left, in plain encoding
	indices page.RLEReader
}

// span returns the number of the next n rows that lie in the current page. After its last row it reads the next page.
func (c *chunkReader) span(n int) (int, error) {
	for c.left == 0 {
		p, err := c.pages.Next()
		switch {
		case err == io.EOF:
			return 0, errkind.Corrupt("a column chunk ends before its last row")
		case err != nil:
			return 0, err
		case p.Kind == page.Dictionary:
			if err := c.dictionary(&p); err != nil {
				return 0, err
			}
		case p.Kind == page.Data || p.Kind == page.DataV2:
			if err := c.open(&p); err != nil {
				return 0, err
			}
		default:
			return 0, errkind.Corrupt("a page of kind %d", p.Kind)
		}
	}
	return min(n, c.left), nil
}

func (c *chunkReader) dictionary(p *page.Page) (err error) {
	if p.Encoding != page.Plain && p.Encoding != page.PlainDictionary || c.entries >= 0 {
		return errkind.Corrupt("a dictionary of encoding %d, or a second one", p.Encoding)
	}
	c.entries, err = c.keep(p)
	return err
}

// skipPages skips whole pages that precede a row, and returns the number of their rows. It reads the dictionary page.
func (c *chunkReader) skipPages(rows int) (passed int, err error) {
	for passed < rows {
		h, err := c.pages.Header()
		if err != nil {
			return 0, err
		}
		switch {
		case h.Kind == page.Dictionary:
			p, err := c.pages.Next()
			if err == nil {
				err = c.dictionary(&p)
			}
			if err != nil {
				return 0, err
			}
		case passed+h.Values > rows:
			return passed, nil
		default:
			if err := c.pages.SkipPage(&h); err != nil {
				return 0, err
			}
			passed += h.Values
		}
	}
	return passed, nil
}

// open starts a data page.
func (c *chunkReader) open(p *page.Page) error {
	if c.left = p.Values; c.left == 0 {
		return nil
	}
	if len(p.RepetitionLevels) > 0 {
		return errkind.Corrupt("a page of a flat column has repetition levels")
	}
	if c.nullable {
		if err := c.openLevels(p); err != nil {
			return err
		}
	}
	switch typ := c.pages.Type(); {
	case p.Encoding == page.Plain:
		c.packed, c.plain = false, p.Body
		return nil
	case page.Converts(p.Encoding, typ):
		n, err := c.valuesOf(p)
		if err != nil {
			return err
		}
		c.packed = false
		c.plain, err = c.scratch.PlainValues(p.Body, n, p.Encoding, typ)
		return err
	case page.IsDictionary(p.Encoding):
		c.packed = true
		if len(p.Body) == 0 { // all rows are null
			c.indices = page.RLEReader{}
			return nil
		}
		if p.Body[0] > page.MaxRLEWidth {
			return errkind.Corrupt("indices of %d bits", p.Body[0])
		}
		c.indices = page.RLEReader{Bytes: p.Body[1:], Width: int(p.Body[0])}
		return nil
	}
	return errkind.Corrupt("a page of encoding %d", p.Encoding)
}

// valuesOf returns the number of values of a page that are not null, after its levels were opened.
func (c *chunkReader) valuesOf(p *page.Page) (int, error) {
	if !c.nullable || c.present {
		return p.Values, nil
	}
	levels := c.levels // which are read again
	counts, err := levels.Histogram(p.Values, 2)
	if err != nil {
		return 0, err
	}
	return int(counts[1]), nil
}

func (c *chunkReader) openLevels(p *page.Page) error {
	levels := p.DefinitionLevels
	if p.Kind == page.Data {
		if p.DefinitionLevelEncoding != page.RLE || len(p.Body) < 4 {
			return errkind.Corrupt("definition levels of encoding %d in %d bytes", p.DefinitionLevelEncoding,
				len(p.Body))
		}
		end := 4 + int(binary.LittleEndian.Uint32(p.Body))
		if end > len(p.Body) {
			return errkind.Corrupt("definition levels of %d bytes in a page of %d", end-4, len(p.Body))
		}
		levels, p.Body = p.Body[4:end], p.Body[end:]
	}
	c.levels = page.RLEReader{Bytes: levels, Width: 1}
	n, err := c.levels.Next()
	c.present = err == nil && c.levels.Repeated >= p.Values && n > 0 && c.levels.Value == 1
	return err
}

// validity marks which of the next n rows, all of this page, are there, from a row of the bitmap on, which is zero. It
// returns how many are.
func (c *chunkReader) validity(bitmap []byte, row, n int) (int, error) {
	if !c.nullable {
		return n, nil
	}
	if c.present {
		bitutil.SetBitsTo(bitmap, int64(row), int64(n), true)
		return n, nil
	}
	return c.levels.ReadBits(bitmap, row, n)
}

// Verify reads the pages of a column chunk that pqarrow decodes afterwards. pqarrow verifies neither their checksums,
// nor that of gzip, nor the size of data pages V2, nor the number of values. Of a part of a column in lists it sets the
// number of values, which only the pages have, and makes sure that they have the rows of the page index.
func (f *File) Verify(group, leaf int) error {
	m, part, named := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData, f.part(group, leaf),
		f.namedIn(group, leaf)
	if part == nil || !part.Cut || f.file.MetaData().Schema.Column(leaf).MaxRepetitionLevel() == 0 {
		return f.eachPage(group, leaf, func(r *page.Reader) error { return r.Verify(named) })
	}
	m.NumValues = math.MaxInt64
	return f.eachPage(group, leaf, func(r *page.Reader) error {
		rows, values, err := r.Count(named)
		if err == nil && rows != part.Rows {
			err = errkind.Corrupt("pages of %d rows have %d rows in the page index", rows, part.Rows)
		}
		m.NumValues = values
		return err
	})
}

// namedIn reports whether an encoding is one that the metadata of a column chunk name.
func (f *File) namedIn(group, leaf int) func(encoding int) bool {
	encodings := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData.Encodings
	return func(e int) bool { return page.NamesEncoding(encodings, e) }
}

// PageIndex reads the pages of a column chunk and makes their index.
func (f *File) PageIndex(group, leaf int) (x *page.Index, err error) {
	err = f.eachPage(group, leaf, func(r *page.Reader) error {
		x, err = r.Index(f.namedIn(group, leaf))
		return err
	})
	return x, err
}

// eachPage calls use with the pages of a column chunk. Pages after the end of the chunk are an error, since it is
// copied or read by pqarrow. Errors name the column.
func (f *File) eachPage(group, leaf int, use func(r *page.Reader) error) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	err := errkind.Contain(func() error {
		r, err := f.openPages(group, leaf, batchWindow, s)
		if err != nil {
			return err
		}
		if err := use(r); err != nil {
			return err
		}
		if r.Extended() {
			return errkind.Corrupt("its pages pass the end that the metadata name")
		}
		return nil
	})
	if err != nil {
		path := f.file.MetaData().Schema.Column(leaf).Path()
		return fmt.Errorf("column %q of row group %d: %w", path, f.Number(group), err)
	}
	return nil
}

// takeScratch returns buffers that were given back, or new ones.
func (f *File) takeScratch() *page.Buffers {
	if f.buffers != nil {
		if s := f.buffers.Take(); s != nil {
			return s
		}
	}
	return page.NewBuffers(f.opts.Allocator)
}

func (f *File) giveScratch(s *page.Buffers) {
	if f.buffers != nil {
		f.buffers.Give(s)
	} else {
		s.Release()
	}
}

// Bytes that are read at a time: of a chunk that is read as a whole, and of one of many that are read at once.
const (
	wholeWindow = 4 << 20
	batchWindow = 128 << 10
)

// finish makes sure, after the last row of a range, that its pages have the number of rows of the page index.
// Otherwise the range is elsewhere.
func (f *File) finish(pages *page.Reader, group, leaf int) error {
	if part := f.part(group, leaf); part == nil || !part.Cut {
		return nil
	}
	if err := pages.SkipRest(); err != nil {
		return errkind.Corrupt("its pages do not have the rows that the page index has: %v; a sort without a limit or "+
			"tail does not use it", err)
	}
	return nil
}

// openPages opens the pages of a leaf column of a row group.
func (f *File) openPages(group, leaf, window int, s *page.Buffers) (*page.Reader, error) {
	m := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData
	return s.Open(f.src, page.Chunk{
		Start: page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset), Size: m.TotalCompressedSize,
		Values: m.NumValues,
		Codec:  compress.Compression(m.Codec), Column: f.file.MetaData().Schema.Column(leaf),
	}, window)
}

// announce announces the column chunks of row groups, from one up to another, to a file that fetches ahead.
func (f *File) announce(from, to int) {
	if f.opts.Announce == nil {
		return
	}
	var ranges []page.Range
	for group := from; group < to; group++ {
		first := len(ranges)
		for _, leaf := range leavesOf(nil, f.fields) {
			m := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData
			start := page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			ranges = append(ranges, page.Range{From: start, To: start + m.TotalCompressedSize})
		}
		slices.SortFunc(ranges[first:], func(a, b page.Range) int { return cmp.Compare(a.From, b.From) })
	}
	f.opts.Announce(ranges)
}

// storesDictionary reports whether all row groups store the column with a dictionary, and none has pages without one,
// by the encodings that the file names.
func storesDictionary(meta *metadata.FileMetaData, column int) bool {
	for _, group := range meta.RowGroups {
		m := group.Columns[column].MetaData
		for _, s := range m.EncodingStats {
			if s.PageType != page.Dictionary && !page.IsDictionary(int(s.Encoding)) && s.Count > 0 {
				return false
			}
		}
		if !page.NamesEncoding(m.Encodings, page.RLEDictionary) {
			return false
		}
	}
	return len(meta.RowGroups) > 0
}
