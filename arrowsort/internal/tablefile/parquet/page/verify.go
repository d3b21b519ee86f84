package page

import (
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// Verify reads the pages up to the last value. Their encodings are to be some that the metadata name.
func (r *Reader) Verify(named func(encoding int) bool) error {
	for r.values > 0 {
		h, packed, err := r.take()
		if err == io.EOF {
			return fileerror.Corrupt("its pages end %d values before the last one", r.values)
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

// checkEncodings makes sure that the encodings in a header are among those that the metadata name, and that levels
// have. Old writers leave out plain values, and the indices of a dictionary that the chunk has.
func (r *Reader) checkEncodings(h *Header, named func(encoding int) bool) error {
	known := func(encoding int, most int16) bool {
		return most == 0 || encoding == RLE || encoding == bitPacked
	}
	usual := h.Encoding == Plain || r.dictionary && (h.Encoding == PlainDictionary || h.Encoding == RLEDictionary)
	switch data := h.Kind == Data || h.Kind == DataV2; {
	case data && !usual && !named(h.Encoding):
		return fileerror.Corrupt("it has encoding %d, which the metadata do not name", h.Encoding)
	case h.Kind == Data &&
		!(known(h.Levels, r.column.MaxDefinitionLevel()) && known(h.repLevelsAre, r.column.MaxRepetitionLevel())):
		return fileerror.Corrupt("its levels have encodings %d and %d", h.Levels, h.repLevelsAre)
	}
	return nil
}

// fits makes sure that a page has the size that its header says, and levels for its values where they are not
// compressed. It decompresses pages that do not have their size.
func (r *Reader) fits(h *Header, packed []byte) error {
	if h.Kind != DataV2 && h.compressed == 1 {
		if n, ok := decompressedSize(r.codec, packed, h.checked); ok && n == h.size {
			return nil
		}
	}
	_, err := r.decompress(h, packed)
	return err
}
