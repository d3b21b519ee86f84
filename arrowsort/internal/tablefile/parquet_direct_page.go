package tablefile

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// readDictionary keeps the entries of a dictionary page: text as an array, numbers as they are.
func (c *directColumn) readDictionary(part *part, p *page, s *pageScratch, mem memory.Allocator) error {
	if p.encoding != plainEncoding && p.encoding != plainDictionary || part.dictionary != nil {
		return corrupt("a dictionary of encoding %d, or a second one", p.encoding)
	}
	typ, text := c.typ.(*arrow.DictionaryType)
	if !text {
		if p.values*c.width > len(p.body) {
			return corrupt("a dictionary of %d entries in %d bytes", p.values, len(p.body))
		}
		copy(room(s.entries, p.values*c.width), p.body)
		s.numbers = p.values
		return nil
	}
	b := array.NewBuilder(mem, typ.ValueType)
	defer b.Release()
	for range p.values {
		if len(p.body) < 4 {
			return corrupt("a dictionary is cut off")
		}
		end := 4 + int(binary.LittleEndian.Uint32(p.body))
		if end > len(p.body) {
			return corrupt("an entry of a dictionary is cut off")
		}
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(string(p.body[4:end]))
		case *array.BinaryBuilder:
			b.Append(p.body[4:end])
		}
		p.body = p.body[end:]
	}
	part.dictionary = b.NewArray()
	return nil
}

// readRows decodes a data page to the rows of the part from row on.
func (c *directColumn) readRows(part *part, row int, p *page, s *pageScratch) error {
	present := p.values
	if c.nullable {
		var err error
		if present, err = p.present(part.validity.Bytes(), row); err != nil {
			return err
		}
	}
	dst := c.values.Bytes()[(part.first+row)*c.width:][:p.values*c.width]
	if err := c.decode(dst[:present*c.width], part, p, s); err != nil {
		return err
	}
	if part.nulls += p.values - present; present == p.values {
		return nil
	}
	if c.width == 4 {
		spread(arrow.Uint32Traits.CastFromBytes(dst), present, part.validity.Bytes(), row)
	} else {
		spread(arrow.Uint64Traits.CastFromBytes(dst), present, part.validity.Bytes(), row)
	}
	return nil
}

// decode decodes the values of a page without its nulls.
func (c *directColumn) decode(dst []byte, part *part, p *page, s *pageScratch) error {
	if len(dst) == 0 {
		return nil
	}
	text := c.typ.ID() == arrow.DICTIONARY
	if p.encoding == plainEncoding {
		if text || len(p.body) < len(dst) {
			return corrupt("a plain page has %d bytes for %d", len(p.body), len(dst))
		}
		copy(dst, p.body)
		return nil
	}
	if p.encoding != plainDictionary && p.encoding != rleDictionary {
		return corrupt("a page of encoding %d", p.encoding)
	}
	indices, err := p.indices()
	switch {
	case err != nil:
		return err
	case text && part.dictionary == nil:
		return corrupt("indices without a dictionary")
	case text:
		greatest, err := indices.read(arrow.Uint32Traits.CastFromBytes(dst))
		return checkIndex(greatest, part.dictionary.Len(), err)
	case c.width == 4:
		return lookUp(arrow.Uint32Traits.CastFromBytes(dst), indices, arrow.Uint32Traits.CastFromBytes(s.entries.Bytes())[:s.numbers])
	}
	return lookUp(arrow.Uint64Traits.CastFromBytes(dst), indices, arrow.Uint64Traits.CastFromBytes(s.entries.Bytes())[:s.numbers])
}

func checkIndex(greatest uint32, entries int, err error) error {
	if err == nil && int64(greatest) >= int64(entries) {
		return corrupt("index %d into a dictionary of %d entries", greatest, entries)
	}
	return err
}

// lookUp replaces indices by entries, some at a time so that they stay in the first cache.
func lookUp[T uint32 | uint64](dst []T, indices *hybridReader, entries []T) error {
	var block [1024]uint32
	for len(dst) > 0 {
		b := block[:min(len(block), len(dst))]
		greatest, err := indices.read(b)
		if err := checkIndex(greatest, len(entries), err); err != nil {
			return err
		}
		for i, index := range b {
			dst[i] = entries[index]
		}
		dst = dst[len(b):]
	}
	return nil
}

// spread moves values, which lie at the front, to the rows that have one; the others become 0.
func spread[T uint32 | uint64](rows []T, present int, validity []byte, first int) {
	for i := range slices.Backward(rows) {
		if bitutil.BitIsSet(validity, first+i) {
			present--
			rows[i] = rows[present]
		} else {
			rows[i] = 0
		}
	}
}
