package buffers

import (
	"encoding/binary"
	"math/bits"
)

// Bit reports whether bit i of a bitmap is set.
func Bit(bitmap []byte, i int) bool { return bitmap[i>>3]>>(i&7)&1 != 0 }

// Bits is the 64 bits of a bitmap from bit i on, the first one lowest; bits past its end are zero.
func Bits(bitmap []byte, i int) uint64 {
	k, s := i>>3, uint(i&7)
	if k+9 <= len(bitmap) {
		return binary.LittleEndian.Uint64(bitmap[k:])>>s | uint64(bitmap[k+8])<<(64-s)
	}
	return lastBits(bitmap, k, s)
}

func lastBits(bitmap []byte, k int, s uint) uint64 {
	var w [9]byte
	copy(w[:], bitmap[min(k, len(bitmap)):])
	return binary.LittleEndian.Uint64(w[:])>>s | uint64(w[8])<<(64-s)
}

// LowBits is a word with its n low bits set, n in 0..64.
func LowBits(n int) uint64 { return uint64(1)<<uint(n) - 1 }

// CountZeros counts the zero bits among the n bits of a bitmap from bit i on.
func CountZeros(bitmap []byte, i, n int) int {
	zeros := 0
	for ; n > 0; i, n = i+64, n-64 {
		zeros += bits.OnesCount64(^Bits(bitmap, i) & LowBits(min(n, 64)))
	}
	return zeros
}

// SetWhereZero writes v to the elements of dst whose bit, from bit i of a bitmap on, is zero.
func SetWhereZero(dst []uint64, bitmap []byte, i int, v uint64) {
	for len(dst) > 0 {
		n := min(len(dst), 64)
		for zeros := ^Bits(bitmap, i) & LowBits(n); zeros != 0; zeros &= zeros - 1 {
			dst[bits.TrailingZeros64(zeros)] = v
		}
		dst, i = dst[n:], i+n
	}
}
