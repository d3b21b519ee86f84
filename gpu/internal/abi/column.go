//go:build cuda && linux && amd64

package abi

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// A KeySource is a column that the key scan reads: a key column, several key columns read as one number, or codes that
// were encoded before.
type KeySource struct {
	Column      Column
	Bits        int  // of a number of the column
	ChecksOrder bool // rows that are in order need no statistics
	FixesPoint  bool // fixed-point floats may be encoded
	Counts      bool // the key scan has to count the buckets: they have no pages
}

// CodeColumn returns a column of codes of width bytes, of the given number of bits, for the key scan.
func CodeColumn(codes driver.Ptr, width, bits int) *KeySource {
	return &KeySource{Column: Column{ColumnValues: integers(codes, width)}, Bits: bits, ChecksOrder: true}
}

// integers are unsigned integers of a number of bytes, without nulls.
func integers(values driver.Ptr, width int) ColumnValues {
	return ColumnValues{Values: uint64(values), Form: FormInteger, Width: uint64(width), Stride: uint64(width)}
}

// Keys returns several keys as one column of numbers. fields is the address of their Fields on the device, and of as
// many zero Fields.
func Keys(fields driver.Ptr, keys, bits int) KeySource {
	column := ColumnValues{Values: uint64(fields), Form: FormKeys, Width: 8, Stride: uint64(keys)}
	return KeySource{Column: Column{ColumnValues: column}, Bits: bits}
}

// Field returns a Field that maps every value of the column's type to a number. The numbers order as the rows do.
func (in *KeySource) Field() Field {
	c := &in.Column
	f := Field{ColumnValues: c.ColumnValues, Base: [4]uint64{c.SignBit}, Mul: 1, Mask: ^uint64(0)}
	if c.Descending != 0 {
		f.Mul, f.Bias = ^uint64(0), ^uint64(0)>>(64-8*c.Width)
	}
	return f
}

// Integers returns the Field of a column of unsigned integers of a number of bytes, without nulls.
func Integers(values driver.Ptr, width int) Field {
	in := KeySource{Column: Column{ColumnValues: integers(values, width)}}
	return in.Field()
}

// NumberedFrom is the field for rows whose numbers begin with a multiple of 64: the addresses are those that row 0
// would have. Only rows that exist are read.
func (f Field) NumberedFrom(first int) Field {
	n := uint64(first)
	f.Values -= n * f.Stride
	if f.Stride == 0 {
		f.Values -= n / 8 // a bitmap
	}
	if f.Validity != 0 {
		f.Validity -= n / 8
	}
	return f
}
