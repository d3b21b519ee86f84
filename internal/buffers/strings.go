package buffers

import "encoding/binary"

// BytesFrom returns the 8 bytes of a string from byte from on, as a number; bytes past its end are zero.
func BytesFrom(s []byte, from int) uint64 {
	n := len(s) - from
	if n <= 0 {
		return 0
	}
	if from+8 <= cap(s) { // most strings are followed by others: read past the end, and clear those bytes
		return binary.BigEndian.Uint64(s[from:from+8]) &^ (^uint64(0) >> (8 * uint(min(n, 8))))
	}
	return Leading(s[from:])
}

// Leading returns the first 8 bytes of a string as a number; bytes past its end are zero.
func Leading(s []byte) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(s)
	}
	return BigEndian(s) << (64 - 8*uint(len(s)))
}

// BigEndian reads up to 8 bytes as a number.
func BigEndian(b []byte) uint64 {
	switch n := len(b); {
	case n >= 8:
		return binary.BigEndian.Uint64(b)
	case n >= 4: // two reads that overlap
		hi, lo := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[n-4:]))
		return hi<<uint(8*n-32) | lo
	}
	u := uint64(0)
	for _, x := range b {
		u = u<<8 | uint64(x)
	}
	return u
}

// InlineView is the length of the longest string that a view holds itself.
const InlineView = 12

// StringOfView returns the string of a view of 16 bytes: length, then the string, or its first 4 bytes, the number of a
// buffer and the offset there.
func StringOfView(view []byte, buffers [][]byte) []byte {
	if n := binary.LittleEndian.Uint32(view); n <= InlineView {
		return view[4 : 4+n]
	}
	return longString(view, buffers)
}

func longString(view []byte, buffers [][]byte) []byte {
	n := int(binary.LittleEndian.Uint32(view))
	buffer, offset := binary.LittleEndian.Uint32(view[8:]), int(binary.LittleEndian.Uint32(view[12:]))
	return buffers[buffer][offset : offset+n]
}
