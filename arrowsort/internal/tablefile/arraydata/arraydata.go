// Package arraydata reads and measures the buffers of Arrow arrays.
package arraydata

import "github.com/apache/arrow/go/v15/arrow"

// Offset is the type of the offsets of strings and lists.
type Offset interface{ int32 | int64 }

// End returns the position after the last row, counted from the start of the buffers.
func End(d arrow.ArrayData) int64 { return int64(d.Offset()) + int64(d.Len()) }

// Bytes returns the bytes of a buffer; nil when the array does not have it.
func Bytes(d arrow.ArrayData, i int) []byte {
	if bufs := d.Buffers(); i < len(bufs) && bufs[i] != nil {
		return bufs[i].Bytes()
	}
	return nil
}

// Validity returns the bitmap of an array; nil when no row is null.
func Validity(d arrow.ArrayData) []byte {
	if d.NullN() == 0 {
		return nil
	}
	return Bytes(d, 0)
}

// LittleEndian reads an integer of 1, 2, 4 or 8 bytes. A negative one is larger than any length.
func LittleEndian(b []byte, width int, signed bool) uint64 {
	n := uint64(0)
	if signed && b[width-1] >= 1<<7 {
		n = ^n
	}
	for i := width - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}
