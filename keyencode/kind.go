package keyencode

import "math/bits"

// shape is how the values of a kind are turned into codes.
type shape uint8

const (
	shapeNone  shape = iota // no values
	shapeWord               // an ordered word of up to 64 bits
	shapeWide               // ordered limbs: decimals
	shapeBytes              // strings
)

func (c *Column) shape() shape {
	switch c.Kind {
	case Null:
		return shapeNone
	case Decimal128, Decimal256:
		return shapeWide
	case Binary, LargeBinary, BinaryView:
		return shapeBytes
	case FixedSizeBinary:
		if c.Width > 8 {
			return shapeBytes
		}
	}
	return shapeWord
}

// isFloat reports whether values of the kind can be NaN.
func (k Kind) isFloat() bool { return k == Float16 || k == Float32 || k == Float64 }

func (k Kind) isDictionary() bool { return k >= Dictionary8 && k <= Dictionary64 }

// signBit is what turns a raw word of the kind into an ordered one: two's complement orders as unsigned with its sign
// bit flipped. Floats are turned into two's complement first.
func (k Kind) signBit() uint64 {
	switch k {
	case Int8:
		return 1 << 7
	case Int16, Float16:
		return 1 << 15
	case Int32, Float32:
		return 1 << 31
	case Int64, Float64, Decimal128, Decimal256:
		return 1 << 63
	}
	return 0
}

// infinity is the bit pattern of +Inf.
func (k Kind) infinity() uint64 {
	switch k {
	case Float16:
		return 0x7c00
	case Float32:
		return 0x7f80_0000
	}
	return 0x7ff0_0000_0000_0000
}

// limbs is an unsigned number of up to 256 bits, least significant limb first.
type limbs [4]uint64

func (a limbs) sub(b limbs) (d limbs) {
	var borrow uint64
	for i := range a {
		d[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return d
}

// shr shifts right by n < 64 bits.
func (a limbs) shr(n uint) (d limbs) {
	for i := range 3 {
		d[i] = a[i]>>n | a[i+1]<<(64-n)
	}
	d[3] = a[3] >> n
	return d
}

// shl shifts left by n < 64 bits.
func (a limbs) shl(n uint) (d limbs) {
	for i := 3; i > 0; i-- {
		d[i] = a[i]<<n | a[i-1]>>(64-n)
	}
	d[0] = a[0] << n
	return d
}

func (a limbs) add(b limbs) (d limbs) {
	var carry uint64
	for i := range a {
		d[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return d
}

func (a limbs) compare(b limbs) int {
	for i := 3; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}
