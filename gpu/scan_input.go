//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A scanInput is a column that the key scan reads: a key column, several key columns read as one number, or codes that
// were encoded before.
type scanInput struct {
	column      abiColumn
	bits        int  // of a number of the column
	checksOrder bool // rows that are in order need no statistics
}

// scanInputOf returns a key column as it lies on the device. The column must be one of numbers (isNumber).
func scanInputOf(p place, layout keyencode.DeviceColumn, key keyencode.Key) scanInput {
	return scanInput{column: columnOf(p, layout, key), bits: 8 * layout.Width, checksOrder: true}
}

// codesInput returns a column of 64-bit codes of the given number of bits.
func codesInput(codes driver.Ptr, bits int) *scanInput {
	column := abiColumn{values: uint64(codes), form: uint64(keyencode.FormInteger), width: 8, stride: 8}
	return &scanInput{column, bits, true}
}

// keysInput returns several keys as one column of numbers. fields is the address of their Fields on the device.
func keysInput(fields driver.Ptr, keys, bits int) scanInput {
	return scanInput{abiColumn{values: uint64(fields), form: formKeys, width: 8, stride: uint64(keys)}, bits, false}
}

// field returns a Field that maps every value of the column's type to a number. The numbers order as the rows do.
func (in *scanInput) field() abiField {
	c := &in.column
	f := abiField{
		values: c.values, validity: c.validity, bit: c.bit, valueBit: c.valueBit, form: c.form, width: c.width,
		stride: c.stride, sign: c.sign, infinity: c.infinity, base: [4]uint64{c.signBit}, mul: 1, mask: ^uint64(0),
	}
	if c.descending != 0 {
		f.mul, f.bias = ^uint64(0), ^uint64(0)>>(64-8*c.width)
	}
	return f
}
