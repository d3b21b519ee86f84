package tablefile

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// A chunkReader reads the rows of a flat column chunk from the front on, as many at a time as are wanted.
type chunkReader struct {
	pages    *pageReader
	scratch  *pageScratch
	nullable bool
	entries  int // of the dictionary; -1: there is none yet

	left    int          // rows left of the page
	levels  hybridReader // which of them are there, of a column that can be null
	present bool         // all of them are
	packed  bool         // the values are indices into the dictionary
	plain   []byte       // or values that are left
	indices hybridReader
}

func newChunkReader(f *parquetFile, group, column, window int, nullable bool, s *pageScratch) (chunkReader, error) {
	pages, err := f.openPages(group, column, window, s)
	return chunkReader{pages: pages, scratch: s, nullable: nullable, entries: -1}, err
}

// span returns how many of the next n rows lie in the page; it reads the next one where none do. A dictionary on the
// way is given to keep, which counts its entries.
func (c *chunkReader) span(n int, keep func(p *page) (int, error)) (int, error) {
	for c.left == 0 {
		p, err := c.pages.next()
		switch {
		case err == io.EOF:
			return 0, fileerror.Corrupt("a column chunk ends before its last row")
		case err != nil:
			return 0, err
		case p.kind == dictionaryPage:
			if err := c.dictionary(&p, keep); err != nil {
				return 0, err
			}
		case p.kind == dataPage || p.kind == dataPageV2:
			if err := c.open(&p); err != nil {
				return 0, err
			}
		default:
			return 0, fileerror.Corrupt("a page of kind %d", p.kind)
		}
	}
	return min(n, c.left), nil
}

func (c *chunkReader) dictionary(p *page, keep func(p *page) (int, error)) (err error) {
	if p.encoding != plainEncoding && p.encoding != plainDictionary || c.entries >= 0 {
		return fileerror.Corrupt("a dictionary of encoding %d, or a second one", p.encoding)
	}
	c.entries, err = keep(p)
	return err
}

// pass passes whole pages in front of a row, from the first one on, and returns the rows that they have. It reads the
// dictionary on the way.
func (c *chunkReader) pass(rows int, keep func(p *page) (int, error)) (passed int, err error) {
	for passed < rows {
		h, err := c.pages.header()
		if err != nil {
			return 0, err
		}
		switch {
		case h.kind == dictionaryPage:
			p, err := c.pages.next()
			if err == nil {
				err = c.dictionary(&p, keep)
			}
			if err != nil {
				return 0, err
			}
		case passed+h.values > rows:
			return passed, nil
		default:
			if err := c.pages.pass(&h); err != nil {
				return 0, err
			}
			passed += h.values
		}
	}
	return passed, nil
}

// open begins a data page.
func (c *chunkReader) open(p *page) error {
	if c.left = p.values; c.left == 0 {
		return nil
	}
	if len(p.repeats) > 0 {
		return fileerror.Corrupt("a page of a flat column has repetition levels")
	}
	if c.nullable {
		if err := c.openLevels(p); err != nil {
			return err
		}
	}
	switch p.encoding {
	case plainEncoding:
		c.packed, c.plain = false, p.body
		return nil
	case plainDictionary, rleDictionary:
		c.packed = true
		if len(p.body) == 0 { // all rows are null
			c.indices = hybridReader{}
			return nil
		}
		if p.body[0] > hybridWidest {
			return fileerror.Corrupt("indices of %d bits", p.body[0])
		}
		c.indices = hybridReader{b: p.body[1:], width: int(p.body[0])}
		return nil
	}
	return fileerror.Corrupt("a page of encoding %d", p.encoding)
}

func (c *chunkReader) openLevels(p *page) error {
	levels := p.present
	if p.kind == dataPage {
		if p.levels != rleEncoding || len(p.body) < 4 {
			return fileerror.Corrupt("definition levels of encoding %d in %d bytes", p.levels, len(p.body))
		}
		end := 4 + int(binary.LittleEndian.Uint32(p.body))
		if end > len(p.body) {
			return fileerror.Corrupt("definition levels of %d bytes in a page of %d", end-4, len(p.body))
		}
		levels, p.body = p.body[4:end], p.body[end:]
	}
	c.levels = hybridReader{b: levels, width: 1}
	n, err := c.levels.next()
	c.present = err == nil && c.levels.equal >= p.values && n > 0 && c.levels.value == 1
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
	return c.levels.readBits(bitmap, row, n)
}
