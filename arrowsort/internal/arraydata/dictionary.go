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

// DistinctDictionaries returns the different dictionaries of n arrays, and which of them each array has: -1 where of
// returns nil. A dictionary counts as the first one or as its predecessor if it is Identical to it: readers may read it
// again with every batch.
func DistinctDictionaries(n int, of func(i int) arrow.ArrayData) (distinct []arrow.ArrayData, which []int) {
	which = make([]int, n)
	known := map[arrow.ArrayData]int{}
	last := -1
	for i := range which {
		d := of(i)
		if d == nil {
			which[i] = -1
			continue
		}
		at, found := known[d]
		switch {
		case found:
		case last >= 0 && Identical(distinct[last], d):
			at = last
		case last > 0 && Identical(distinct[0], d):
			at = 0
		default:
			at = len(distinct)
			distinct = append(distinct, d)
		}
		known[d] = at
		which[i], last = at, at
	}
	return distinct, which
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
