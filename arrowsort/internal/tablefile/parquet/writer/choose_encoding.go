package writer

import (
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// newValues returns the rows of an array of numbers or text, which have no dictionary yet.
func newValues(a arrow.Array, s *encodeBuffers) *flatValues {
	v, d := rowsOf(a), a.Data()
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY:
		v.plain = textValues[int32]{arrow.GetOffsets[int32](d, 1), textOf(d)}
		return v
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		v.plain = textValues[int64]{arrow.GetOffsets[int64](d, 1), textOf(d)}
		return v
	case arrow.INT8:
		s.wide = widen(s.wide, arrow.GetValues[int8](d, 1))
	case arrow.INT16:
		s.wide = widen(s.wide, arrow.GetValues[int16](d, 1))
	case arrow.UINT8:
		s.wide = widen(s.wide, arrow.GetValues[uint8](d, 1))
	case arrow.UINT16:
		s.wide = widen(s.wide, arrow.GetValues[uint16](d, 1))
	default:
		if a.DataType().(arrow.FixedWidthDataType).BitWidth() == 32 {
			v.plain = numberValues[int32](arrow.GetValues[int32](d, 1))
		} else {
			v.plain = numberValues[int64](arrow.GetValues[int64](d, 1))
		}
		return v
	}
	v.plain = numberValues[int32](s.wide)
	return v
}

// textOf returns the bytes of an array of text.
func textOf(d arrow.ArrayData) []byte {
	if b := d.Buffers()[2]; b != nil && b.Len() > 0 {
		return b.Bytes()
	}
	return []byte{} // an empty text is not nil
}

// widen extends values to 32 bits.
func widen[T int8 | int16 | uint8 | uint16](wide []int32, values []T) []int32 {
	wide = wide[:0]
	for _, x := range values {
		wide = append(wide, int32(x))
	}
	return wide
}

// setDictionary puts numbers in a dictionary of at most some entries, if it is smaller than the numbers.
func (n numberValues[T]) setDictionary(v *flatValues, s *encodeBuffers, most int) {
	if s.stretch.mostlyDistinct(v, func(row int) uint64 { return hash(int64(n[row])) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	entries := dictionaryEncode(&s.integers, n, v, s.indices, min(most, mostNumbers(v.rows, n.bytes(0, 1))))
	if entries == nil {
		return
	}
	v.indices, v.count, s.entries = s.indices, len(entries), s.entries[:0]
	for _, x := range entries {
		one := [1]T{T(x)}
		s.entries = append(s.entries, arrow.GetBytes(one[:])...)
	}
	v.entries = s.entries
}

// setDictionary puts text in a dictionary of at most some entries, if it is smaller than the text.
func (t textValues[T]) setDictionary(v *flatValues, s *encodeBuffers, most int) {
	if s.stretch.mostlyDistinct(v, func(row int) uint64 { return maphash.Bytes(textSeed, t.at(row)) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	most = min(most, dictionary.MaxEntries, v.rows/rowsPerText)
	if first := s.textTable.dictionaryEncode(t.at, v, s.indices, most); first != nil {
		v.indices, v.count, s.entries = s.indices, len(first), s.entries[:0]
		for _, row := range first {
			s.entries = appendText(s.entries, t.at(int(row)))
		}
		v.entries = s.entries
	}
}

// Numbers are written as a dictionary and indices where the column may have one and it pays. A column with more
// distinct values is written plain; that shows long before its last row.
const numberEntries = 1 << 17 // of a dictionary: those of 8 bytes fill the page that other writers give it

// mostNumbers returns how many values of 4 or 8 bytes are worth a dictionary: with more, it and the indices take nearly
// as much as the values.
func mostNumbers(rows, width int) int { return min(numberEntries, rows*width/16) }
