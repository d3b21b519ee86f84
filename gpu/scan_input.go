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

// keyInput returns a key column as it lies on the device. The column must be one of numbers (isNumber).
func (s *sorter) keyInput(key keyencode.Key, layout keyLayout) scanInput {
	return scanInput{column: s.keyColumn(key, layout), bits: 8 * layout.width, checksOrder: true}
}

// codesInput returns a column of 64-bit codes of the given number of bits.
func codesInput(codes driver.Ptr, bits int) *scanInput {
	column := abiValues{values: uint64(codes), form: formInteger, width: 8, stride: 8}
	return &scanInput{abiColumn{abiValues: column}, bits, true}
}

// keysInput returns several keys as one column of numbers. fields is the address of their Fields on the device.
func keysInput(fields driver.Ptr, keys, bits int) scanInput {
	column := abiValues{values: uint64(fields), form: formKeys, width: 8, stride: uint64(keys)}
	return scanInput{abiColumn{abiValues: column}, bits, false}
}

// field returns a Field that maps every value of the column's type to a number. The numbers order as the rows do.
func (in *scanInput) field() abiField {
	c := &in.column
	f := abiField{abiValues: c.abiValues, base: [4]uint64{c.signBit}, mul: 1, mask: ^uint64(0)}
	if c.descending != 0 {
		f.mul, f.bias = ^uint64(0), ^uint64(0)>>(64-8*c.width)
	}
	return f
}
