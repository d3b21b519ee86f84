package page

import (
	"encoding/binary"
	"math"
)

// A numberOrder makes codes of numbers that order as unsigned integers do.
type numberOrder struct {
	sign     uint64 // the bit that is turned
	negative uint64 // the bits that are turned of a negative number
	first    uint64 // least code that counts
	last     uint64 // greatest; others are those of NaNs, which have no place in bounds
	floats   bool
}

// floatOrder is the order of floating-point numbers of some bits.
func floatOrder(bits int, infinity uint64) *numberOrder {
	sign := uint64(1) << (bits - 1)
	return &numberOrder{sign: sign, negative: sign - 1, first: ^(infinity | sign) & (2*sign - 1), last: infinity | sign,
		floats: true}
}

func (o *numberOrder) code(v uint64) uint64 {
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v ^ o.sign
}

func (o *numberOrder) value(code uint64) uint64 {
	v := code ^ o.sign
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v
}

// codes are the least and the greatest code of some numbers.
type codes struct{ low, high uint64 }

var noNumbers = codes{low: math.MaxUint64}

func (c *codes) add(code uint64) { c.low, c.high = min(c.low, code), max(c.high, code) }

// bounds are those of numbers of some bytes, unknown with a NaN: to readers that take NaN for the greatest value,
// bounds of the others would not hold. Zeros are -0 below and 0 above, as the format asks for.
func (o *numberOrder) bounds(found codes, width int) Bounds {
	if found.low < o.first || found.high > o.last {
		return Bounds{Unknown: true}
	}
	low, high := o.value(found.low), o.value(found.high)
	if o.floats && low == 0 {
		low = o.sign
	}
	if o.floats && high == o.sign {
		high = 0
	}
	return Bounds{Low: appendNumber(low, width), High: appendNumber(high, width)}
}

func loadNumber(b []byte, width int) uint64 {
	switch width {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func appendNumber(v uint64, width int) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:width]
}
