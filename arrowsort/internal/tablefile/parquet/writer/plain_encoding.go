package writer

import (
	"hash/maphash"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// numberValues are the rows of a column of numbers, as their bits. The bits of nulls are undefined.
type numberValues[T int32 | int64] []T

// writesFlat reports whether a flatEncoder writes a type: text, numbers that Parquet stores with the same width, and
// integers of 8 and 16 bits, which it stores in 32.
func writesFlat(typ arrow.DataType, physical parquet.Type) bool {
	switch t := typ.(type) {
	case *arrow.TimestampType:
		return physical == parquet.Types.Int64 && t.Unit != arrow.Second
	case *arrow.Time32Type:
		return physical == parquet.Types.Int32 && t.Unit != arrow.Second
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Uint8Type, *arrow.Uint16Type:
		return physical == parquet.Types.Int32
	}
	return page.FixedWidth(typ, physical) > 0 || page.IsByteArray(typ, physical)
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

func (n numberValues[T]) bytes(row, rows int) int { return rows * len(arrow.GetBytes([]T{0})) }

func (n numberValues[T]) appendTo(out []byte, v *flatValues, row, rows int) []byte {
	values := n[row : row+rows]
	if v.validity == nil {
		return append(out, arrow.GetBytes(values)...)
	}
	width, b := n.bytes(0, 1), arrow.GetBytes(values)
	for i := range values {
		if v.valid(row + i) {
			out = append(out, b[i*width:(i+1)*width]...)
		}
	}
	return out
}

// hasNaN reports whether NaN is among floating-point numbers of 32 or 64 bits in an array, at any level.
func hasNaN(d arrow.ArrayData) bool {
	switch d.DataType().ID() {
	case arrow.FLOAT32:
		return slices.ContainsFunc(arrow.GetValues[float32](d, 1), isNaN[float32])
	case arrow.FLOAT64:
		return slices.ContainsFunc(arrow.GetValues[float64](d, 1), isNaN[float64])
	}
	return slices.ContainsFunc(d.Children(), hasNaN)
}

func isNaN[T float32 | float64](v T) bool { return v != v }

// textValues are the rows of a column of strings or bytes of any length.
type textValues[T int32 | int64] struct {
	offsets []T // of the rows, and the end of the last
	data    []byte
}

var textSeed = maphash.MakeSeed()

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

func (t textValues[T]) at(row int) []byte { return t.data[t.offsets[row]:t.offsets[row+1]] }

func (t textValues[T]) bytes(row, rows int) int {
	return int(t.offsets[row+rows]-t.offsets[row]) + 4*rows
}

func (t textValues[T]) appendTo(out []byte, v *flatValues, row, rows int) []byte {
	out = slices.Grow(out, t.bytes(row, rows))
	for i := row; i < row+rows; i++ {
		if v.validity == nil || v.valid(i) {
			out = appendText(out, t.at(i))
		}
	}
	return out
}

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
