package writer

import (
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// newValues returns the rows of an array of numbers or text.
func newValues(a arrow.Array, useDictionary bool, s *encodeBuffers) *flatValues {
	v := rowsOf(a)
	if _, text := a.DataType().(arrow.BinaryDataType); text {
		v.setText(a, useDictionary, s)
	} else {
		v.setNumbers(a, useDictionary, s)
	}
	return v
}

// setNumbers sets the values to numbers, in a dictionary if the column may have one and it is smaller.
func (v *flatValues) setNumbers(a arrow.Array, useDictionary bool, s *encodeBuffers) {
	d := a.Data()
	switch a.DataType().ID() {
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
			takeNumbers(v, arrow.GetValues[int32](d, 1), useDictionary, s)
		} else {
			takeNumbers(v, arrow.GetValues[int64](d, 1), useDictionary, s)
		}
		return
	}
	takeNumbers(v, s.wide, useDictionary, s)
}

// widen extends values to 32 bits.
func widen[T int8 | int16 | uint8 | uint16](wide []int32, values []T) []int32 {
	wide = wide[:0]
	for _, x := range values {
		wide = append(wide, int32(x))
	}
	return wide
}

func takeNumbers[T int32 | int64](v *flatValues, rows []T, useDictionary bool, s *encodeBuffers) {
	v.plain = numberValues[T](rows)
	if !useDictionary {
		return
	}
	if s.stretch.mostlyDistinct(v, func(row int) uint64 { return hash(int64(rows[row])) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	entries := dictionaryEncode(&s.integers, rows, v, s.indices, mostNumbers(v.rows, v.plain.bytes(0, 1)))
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

// setText sets the values to text, in a dictionary if the column may have one and it is smaller.
func (v *flatValues) setText(a arrow.Array, useDictionary bool, s *encodeBuffers) {
	data := []byte{} // an empty text is not nil
	if b := a.Data().Buffers()[2]; b != nil && b.Len() > 0 {
		data = b.Bytes()
	}
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY:
		takeText(v, textValues[int32]{arrow.GetOffsets[int32](a.Data(), 1), data}, useDictionary, s)
	default:
		takeText(v, textValues[int64]{arrow.GetOffsets[int64](a.Data(), 1), data}, useDictionary, s)
	}
}

func takeText[T int32 | int64](v *flatValues, t textValues[T], useDictionary bool, s *encodeBuffers) {
	v.plain = t
	if !useDictionary {
		return
	}
	if s.stretch.mostlyDistinct(v, func(row int) uint64 { return maphash.Bytes(textSeed, t.at(row)) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	most := min(dictionary.MaxEntries, v.rows/rowsPerText)
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
