package tablefile

import (
	"fmt"
	"io"
	"slices"
)

// verify reads the pages of a column chunk that pqarrow is going to decode, as pqarrow compares neither their checksums
// nor that of gzip, nor the size of pages of the second version, nor the values of all pages with those of the chunk.
func (f *parquetFile) verify(group, leaf int) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	meta := f.file.MetaData()
	err := contain(func() error {
		r, err := s.open(f, group, leaf, pieceWindow)
		if err != nil {
			return err
		}
		encodings := meta.RowGroups[group].Columns[leaf].MetaData.Encodings
		return r.verify(func(e int) bool { return namesEncoding(encodings, e) })
	})
	if err != nil {
		return fmt.Errorf("column %q of row group %d: %w", meta.Schema.Column(leaf).Path(), group, err)
	}
	return nil
}

// verify reads the pages up to the last value. Their encodings are to be some that the metadata name.
func (r *pageReader) verify(named func(encoding int) bool) error {
	for r.values > 0 {
		h, packed, err := r.take()
		if err == io.EOF {
			return corrupt("its pages end %d values before the last one", r.values)
		}
		if err == nil {
			err = r.fits(&h, packed)
		}
		if err == nil {
			err = r.knows(&h, named)
		}
		if err != nil {
			return r.named(err)
		}
	}
	return nil
}

// knows makes sure that the encodings in a header are some that the metadata name, and that levels have.
func (r *pageReader) knows(h *pageHead, named func(encoding int) bool) error {
	known := func(encoding int, most int16) bool {
		return most == 0 || encoding == rleEncoding || encoding == bitPackedLevels
	}
	switch data := h.kind == dataPage || h.kind == dataPageV2; {
	case data && !named(h.encoding):
		return corrupt("it has encoding %d, which the metadata do not name", h.encoding)
	case h.kind == dataPage &&
		!(known(h.levels, r.column.MaxDefinitionLevel()) && known(h.repLevelsAre, r.column.MaxRepetitionLevel())):
		return corrupt("its levels have encodings %d and %d", h.levels, h.repLevelsAre)
	}
	return nil
}

// bitPackedLevels is an encoding of parquet.thrift that levels had of old.
const bitPackedLevels = 4

// namesEncoding says whether an encoding is among those of a column chunk. The indices of a dictionary have two
// numbers.
func namesEncoding[E ~int64](encodings []E, encoding int) bool {
	return slices.ContainsFunc(encodings, func(e E) bool {
		return int(e) == encoding || encoding == rleDictionary && e == plainDictionary ||
			encoding == plainDictionary && e == rleDictionary
	})
}

// fits makes sure that a page has the size that its header says, and levels for its values where they are not
// compressed. It decompresses pages that do not have their size.
func (r *pageReader) fits(h *pageHead, packed []byte) error {
	if h.kind != dataPageV2 && h.compressed == 1 {
		if n, ok := unpackedSize(r.codec, packed, h.checked); ok && n == h.size {
			return nil
		}
	}
	_, err := r.unpack(h, packed)
	return err
}
