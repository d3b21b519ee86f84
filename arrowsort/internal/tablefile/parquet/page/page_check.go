package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Verify reads the pages up to the last value. An encoding that the metadata do not name is an error.
func (r *Reader) Verify(named func(encoding int) bool) error {
	for r.values > 0 {
		h, packed, err := r.readRaw()
		if err == io.EOF {
			return errkind.Corrupt("its pages end %d values before the last one", r.values)
		}
		if err == nil {
			err = r.fits(&h, packed)
		}
		if err == nil {
			err = r.checkEncodings(&h, named)
		}
		if err != nil {
			return r.named(err)
		}
	}
	return nil
}

// Count is Verify of a part of a column chunk, whose number of values is not known: of the pages up to its end. It
// returns the numbers of their rows and values. A page that starts within a row is an error.
func (r *Reader) Count(named func(encoding int) bool) (rows, values int64, err error) {
	for r.Offset() < r.end {
		h, packed, err := r.readRaw()
		var p Page
		if err == nil {
			p, err = r.decompress(&h, packed)
		}
		if err == nil {
			err = r.checkEncodings(&h, named)
		}
		var c pageCounts
		if err == nil && h.Kind != Dictionary {
			c, err = p.count(r.column)
			if err == nil && !p.startsRow(r.column) {
				err = errkind.Corrupt("it starts within a row, but the page index has it")
			}
			values += int64(p.Values)
		}
		if err != nil {
			return 0, 0, r.named(err)
		}
		rows += int64(c.rows)
	}
	return rows, values, nil
}

// SkipRest skips the pages up to the last value. Pages that have more values, or fewer, are an error.
func (r *Reader) SkipRest() error {
	for r.values > 0 {
		h, err := r.Header()
		if err == io.EOF {
			return errkind.Corrupt("they end %d values before the last one", r.values)
		}
		if err == nil {
			err = r.SkipPage(&h)
		}
		if err != nil {
			return r.named(err)
		}
	}
	return nil
}

// checkEncodings makes sure that the encodings in a header are among those that the metadata name, and that levels
// have. Old writers leave out plain values, and the indices of a dictionary that the chunk has.
func (r *Reader) checkEncodings(h *Header, named func(encoding int) bool) error {
	known := func(encoding int, most int16) bool {
		return most == 0 || encoding == RLE || encoding == bitPacked
	}
	usual := h.Encoding == Plain || r.dictionary && IsDictionary(h.Encoding)
	switch data := h.Kind == Data || h.Kind == DataV2; {
	case data && !usual && !named(h.Encoding):
		return errkind.Corrupt("it has encoding %d, which the metadata do not name", h.Encoding)
	case h.Kind == Data &&
		!(known(h.DefinitionLevelEncoding, r.column.MaxDefinitionLevel()) &&
			known(h.repetitionLevelEncoding, r.column.MaxRepetitionLevel())):
		return errkind.Corrupt("its levels have encodings %d and %d", h.DefinitionLevelEncoding,
			h.repetitionLevelEncoding)
	}
	return nil
}

// fits makes sure that a page has the size in its header, and levels for all of its values if it is a data page V2. It
// decompresses pages of codecs that do not store the size.
func (r *Reader) fits(h *Header, packed []byte) error {
	if h.Kind != DataV2 && h.compressed == 1 {
		if n, ok := decompressedSize(r.codec, packed, h.checked); ok && n == h.uncompressedSize {
			return nil
		}
	}
	_, err := r.decompress(h, packed)
	return err
}

// checkLevels makes sure that the levels of a page of the second version, whose bytes the header counts, are those of
// its values. Levels that the column cannot have are dropped: some writers write one run of zeros, with a value or not.
func (r *Reader) checkLevels(p *Page) error {
	run := binary.AppendUvarint(nil, uint64(p.Values)<<1)
	zeros := func(levels []byte) bool { return bytes.Equal(levels, run) || bytes.Equal(levels, append(run, 0)) }
	if r.column.MaxRepetitionLevel() == 0 && zeros(p.RepetitionLevels) {
		p.RepetitionLevels = nil
	}
	if r.column.MaxDefinitionLevel() == 0 && zeros(p.DefinitionLevels) {
		p.DefinitionLevels = nil
	}
	for _, levels := range []struct {
		b    []byte
		most int16
	}{{p.RepetitionLevels, r.column.MaxRepetitionLevel()}, {p.DefinitionLevels, r.column.MaxDefinitionLevel()}} {
		hybrid := RLEReader{Bytes: levels.b, Width: bits.Len16(uint16(levels.most))}
		if levels.most > 0 {
			if _, err := hybrid.Histogram(p.Values, int(levels.most)+1); err != nil {
				return err
			}
		}
		if rest := len(hybrid.Bytes) - (hybrid.at+hybrid.bits*hybrid.Width+7)/8; rest > 0 {
			return errkind.Corrupt("levels of %d bytes are %d bytes longer than those of %d values", len(levels.b),
				rest, p.Values)
		}
	}
	return nil
}
