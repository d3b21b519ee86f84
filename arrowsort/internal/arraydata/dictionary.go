package arraydata

import (
	"bytes"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// HasDictionary reports whether a type has dictionaries at any level.
func HasDictionary(typ arrow.DataType) bool {
	return Any(typ, func(t arrow.DataType) bool { return t.ID() == arrow.DICTIONARY })
}

// IndexLimit returns the largest number of entries of a dictionary with indices of a type.
func IndexLimit(typ arrow.DataType) int64 {
	bits := typ.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(typ.ID()) {
		bits--
	}
	return 1 << min(bits, 62) // more than there can be
}

// Identical reports whether two data of one type are equal byte for byte, so that either can stand for the other. It
// may miss equal ones, but takes no two values for equal that differ in a bit: -0.0 is not +0.0.
func Identical(a, b arrow.ArrayData) bool {
	if a == b {
		return true
	}
	if a.Len() != b.Len() || a.Offset() != b.Offset() || len(a.Buffers()) != len(b.Buffers()) ||
		len(a.Children()) != len(b.Children()) {
		return false
	}
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		if (x == nil) != (y == nil) || x != nil && !bytes.Equal(x.Bytes(), y.Bytes()) {
			return false
		}
	}
	for i, x := range a.Children() {
		if !Identical(x, b.Children()[i]) {
			return false
		}
	}
	x, _ := a.Dictionary().(*array.Data) // a typed nil where there is none
	y, _ := b.Dictionary().(*array.Data)
	return x == y || x != nil && y != nil && Identical(x, y)
}
