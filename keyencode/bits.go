package keyencode

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// unsigned are the machine words that values of fixed width are read as.
type unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

type integer interface {
	unsigned | ~int8 | ~int16 | ~int32 | ~int64
}

// valuesOf is b as n little-endian words from word i on. Unsafe, because a loop over bytes costs several times as much;
// the slicing of b checks the bounds, and words without pointers need no alignment on the machines that Go supports for
// Arrow.
func valuesOf[U integer](b []byte, i, n int) []U {
	var u U
	size := int(unsafe.Sizeof(u))
	b = b[i*size : (i+n)*size]
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bitAt reports whether bit i of a bitmap is set.
func bitAt(b []byte, i int) bool { return b[i>>3]>>(i&7)&1 != 0 }

// bitsAt is the 64 bits of a bitmap from bit i on; bits past its end are zero.
func bitsAt(b []byte, i int) uint64 {
	k, s := i>>3, uint(i&7)
	if k+9 <= len(b) {
		return binary.LittleEndian.Uint64(b[k:])>>s | uint64(b[k+8])<<(64-s)
	}
	return tailBitsAt(b, k, s)
}

func tailBitsAt(b []byte, k int, s uint) uint64 {
	var w [9]byte
	copy(w[:], b[min(k, len(b)):])
	return binary.LittleEndian.Uint64(w[:])>>s | uint64(w[8])<<(64-s)
}

// lowBits is a word with its n low bits set, n in 0..64.
func lowBits(n int) uint64 { return uint64(1)<<uint(n) - 1 }

// countZeros counts the zero bits among the n bits from bit i on.
func countZeros(b []byte, i, n int) int {
	zeros := 0
	for ; n > 0; i, n = i+64, n-64 {
		zeros += bits.OnesCount64(^bitsAt(b, i) & lowBits(min(n, 64)))
	}
	return zeros
}

// setWhereZero writes v to the elements of dst whose bit, from bit i on, is zero.
func setWhereZero(dst []uint64, b []byte, i int, v uint64) {
	for len(dst) > 0 {
		n := min(len(dst), 64)
		for zeros := ^bitsAt(b, i) & lowBits(n); zeros != 0; zeros &= zeros - 1 {
			dst[bits.TrailingZeros64(zeros)] = v
		}
		dst, i = dst[n:], i+n
	}
}
