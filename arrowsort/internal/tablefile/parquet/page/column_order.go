package page

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
)

// FixedWidth returns the width in bytes of a type that Parquet stores as Arrow does, or of a dictionary index of text;
// 0 for all other types.
func FixedWidth(typ arrow.DataType, physical parquet.Type) int {
	stored, width := parquet.Types.Undefined, 0
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.TIME64, arrow.DURATION:
		stored, width = parquet.Types.Int64, 8
	case arrow.INT32, arrow.UINT32, arrow.DATE32, arrow.TIME32:
		stored, width = parquet.Types.Int32, 4
	case arrow.FLOAT64:
		stored, width = parquet.Types.Double, 8
	case arrow.FLOAT32:
		stored, width = parquet.Types.Float, 4
	case arrow.DICTIONARY:
		d := typ.(*arrow.DictionaryType)
		text := d.ValueType.ID() == arrow.STRING || d.ValueType.ID() == arrow.BINARY
		if text && d.IndexType.ID() == arrow.INT32 {
			stored, width = parquet.Types.ByteArray, 4
		}
	}
	if physical != stored {
		return 0
	}
	return width
}

// IsByteArray reports whether values are strings or bytes of any length.
func IsByteArray(typ arrow.DataType, physical parquet.Type) bool {
	switch typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return physical == parquet.Types.ByteArray
	}
	return false
}

// ValueOrder compares values of a leaf column as Parquet stores them, in the order that the format defines for its
// type; nil where it defines none.
func ValueOrder(column *schema.Column) func(a, b []byte) int {
	physical, signed, numbers := column.PhysicalType(), column.SortOrder() == schema.SortSIGNED, numbersOf(column)
	switch {
	case column.SortOrder() == schema.SortUNKNOWN:
		return nil
	case numbers != nil:
		return func(a, b []byte) int { return cmp.Compare(numbers.codeOf(a), numbers.codeOf(b)) }
	case physical == parquet.Types.FixedLenByteArray && signed:
		return compareSigned
	case physical != parquet.Types.Boolean && signed:
		return nil // a decimal of any length, which is not written here
	}
	return bytes.Compare
}

// compareSigned compares big-endian two's complement numbers of the same length.
func compareSigned(a, b []byte) int {
	if len(a) > 0 && len(b) > 0 && a[0] != b[0] {
		return cmp.Compare(int8(a[0]), int8(b[0]))
	}
	return bytes.Compare(a, b)
}

// A numberOrder maps numbers to codes whose order as unsigned integers is the order of the numbers.
type numberOrder struct {
	width    int    // bytes of a number
	sign     uint64 // the bit that is turned
	negative uint64 // the bits that are turned of a negative number
	first    uint64 // least code that counts
	last     uint64 // greatest; others are those of NaNs, which have no place in bounds
	floats   bool
}

// numbersOf returns the order of the numbers of a leaf column; nil for other types and orders.
func numbersOf(column *schema.Column) *numberOrder {
	if _, half := column.LogicalType().(schema.Float16LogicalType); half {
		return floatOrder(16, 0x7C00)
	}
	signed := column.SortOrder() == schema.SortSIGNED
	switch typ := column.PhysicalType(); {
	case column.SortOrder() == schema.SortUNKNOWN:
	case typ == parquet.Types.Float:
		return floatOrder(32, 0x7F800000)
	case typ == parquet.Types.Double:
		return floatOrder(64, 0x7FF0000000000000)
	case typ == parquet.Types.Int32 && signed:
		return &numberOrder{width: 4, sign: 1 << 31, last: math.MaxUint32}
	case typ == parquet.Types.Int64 && signed:
		return &numberOrder{width: 8, sign: 1 << 63, last: math.MaxUint64}
	case typ == parquet.Types.Int32, typ == parquet.Types.Int64:
		return &numberOrder{width: typ.ByteSize(), last: math.MaxUint64}
	}
	return nil
}

// floatOrder returns the order of floating-point numbers of some bits.
func floatOrder(bits int, infinity uint64) *numberOrder {
	sign := uint64(1) << (bits - 1)
	return &numberOrder{width: bits / 8, sign: sign, negative: sign - 1, first: ^(infinity | sign) & (2*sign - 1),
		last: infinity | sign, floats: true}
}

// codeOf returns the code of the number that bytes start with.
func (o *numberOrder) codeOf(b []byte) uint64 {
	switch o.width {
	case 2:
		return o.code(uint64(binary.LittleEndian.Uint16(b)))
	case 4:
		return o.code(uint64(binary.LittleEndian.Uint32(b)))
	}
	return o.code(binary.LittleEndian.Uint64(b))
}

func (o *numberOrder) code(v uint64) uint64 {
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v ^ o.sign
}

// codesOf returns the codes of numbers that stand one after another. Every value of every file comes by here: the loops
// have no branches, and what does not change lies in registers.
func (o *numberOrder) codesOf(b []byte) codes {
	low, high, sign, negative, shift := uint64(math.MaxUint64), uint64(0), o.sign, o.negative, 64-8*o.width
	add := func(v uint64) {
		code := v ^ uint64(int64(v<<shift)>>63)&negative ^ sign
		low, high = min(low, code), max(high, code)
	}
	switch o.width {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			add(uint64(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			add(uint64(binary.LittleEndian.Uint32(b)))
		}
	default:
		for ; len(b) >= 8; b = b[8:] {
			add(binary.LittleEndian.Uint64(b))
		}
	}
	return codes{low: low, high: high}
}

func (o *numberOrder) value(code uint64) uint64 {
	v := code ^ o.sign
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v
}

// HoldsFloats reports whether the values of a leaf column are floating-point numbers, which may be NaN.
func HoldsFloats(column *schema.Column) bool {
	_, half := column.LogicalType().(schema.Float16LogicalType)
	physical := column.PhysicalType()
	return half || physical == parquet.Types.Float || physical == parquet.Types.Double
}

// IsNaN reports whether a value of a leaf column, as Parquet stores it, is NaN.
func IsNaN(column *schema.Column, value []byte) bool {
	o := numbersOf(column)
	if o == nil || !o.floats {
		return false
	}
	code := o.codeOf(value)
	return o.hasNaN(codes{low: code, high: code})
}

// HoldsBytes reports whether the values of a leaf column are bytes that are no floating-point numbers.
func HoldsBytes(column *schema.Column) bool {
	physical := column.PhysicalType()
	return physical == parquet.Types.ByteArray || physical == parquet.Types.FixedLenByteArray && !HoldsFloats(column)
}

// codes are the least and the greatest code of some numbers. NaNs are counted apart.
type codes struct {
	low, high   uint64
	nans        int64
	negativeNaN bool // a NaN has the sign bit
}

var noNumbers = codes{low: math.MaxUint64}

func (c *codes) add(code uint64) { c.low, c.high = min(c.low, code), max(c.high, code) }

// addFloat is add for a code that may be that of a NaN.
func (o *numberOrder) addFloat(c *codes, code uint64) {
	switch {
	case code < o.first:
		c.nans, c.negativeNaN = c.nans+1, true
	case code > o.last:
		c.nans++
	default:
		c.add(code)
	}
}

// hasNaN reports whether the code of a NaN is among those that were added.
func (o *numberOrder) hasNaN(c codes) bool { return c.low < o.first || c.high > o.last }

// bounds returns the bounds of numbers. Zeros are -0 below and 0 above, as the format asks for. With a NaN there is no
// greatest value, and with one that has the sign bit no least one: the format has bounds of the other numbers, and
// readers that sort by the sign and take NaN for the farthest value would skip rows of NaN that a filter wants.
func (o *numberOrder) bounds(found codes) Bounds {
	b := Bounds{NaNs: found.nans, NegativeNaN: found.negativeNaN}
	if found.low > found.high {
		return b
	}
	if low := o.value(found.low); !found.negativeNaN {
		if b.MinInexact = o.floats && low == 0; b.MinInexact {
			low = o.sign
		}
		b.Min = o.plain(low)
	}
	if high := o.value(found.high); found.nans == 0 {
		if b.MaxInexact = o.floats && high == o.sign; b.MaxInexact {
			high = 0
		}
		b.Max = o.plain(high)
	}
	return b
}

func (o *numberOrder) plain(v uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:o.width]
}

// Bounds are a lower and an upper bound of the values of a page or a column chunk as Parquet stores them, and what is
// counted of the values that are in no order.
type Bounds struct {
	Min, Max               []byte // nil: there is none
	MinInexact, MaxInexact bool   // the bound is none of the values
	AllNull                bool   // all are null
	Nulls                  int64
	NaNs                   int64 // of floating-point numbers
	NegativeNaN            bool  // a NaN has the sign bit
}

// LacksMin reports whether there are values that no lower bound bounds. NaNs without the sign bit need none: in every
// order that readers know they are above all numbers, or match no filter.
func (b *Bounds) LacksMin() bool { return b.Min == nil && !b.AllNull && (b.NaNs == 0 || b.NegativeNaN) }

// LacksMax reports whether there are values that no upper bound bounds.
func (b *Bounds) LacksMax() bool { return b.Max == nil && !b.AllNull }
