package buffers

import (
	"encoding/binary"
	"math/bits"
)

// Bit reports whether bit i of a bitmap is set.
func Bit(bitmap []byte, i int) bool { return bitmap[i>>3]>>(i&7)&1 != 0 }

// Bits returns the 64 bits of a bitmap from bit i on, the first one lowest; bits past its end are zero.
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

// LowBits returns a word with its n low bits set, n in 0..64.
func LowBits(n int) uint64 { return uint64(1)<<uint(n) - 1 }

// CountZeros counts the zero bits among the n bits of a bitmap from bit i on.
func CountZeros(bitmap []byte, i, n int) int {
	zeros := 0
	for ; n > 0; i, n = i+64, n-64 {
		zeros += bits.OnesCount64(^Bits(bitmap, i) & LowBits(min(n, 64)))
	}
	return zeros
}

// And clears each of the n bits of dst from bit at on whose bit in src, from bit first on, is zero.
func And(dst []byte, at int, src []byte, first, n int) {
	for n > 0 {
		k := min(n, 8-at&7)
		dst[at>>3] &= byte(Bits(src, first)|^LowBits(k))<<(at&7) | byte(LowBits(at&7))
		at, first, n = at+k, first+k, n-k
		for ; n >= 64; at, first, n = at+64, first+64, n-64 {
			b := dst[at>>3:]
			binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&Bits(src, first))
		}
	}
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

// SetRange sets bits lo..hi-1 of a bitmap.
func SetRange(bitmap []byte, lo, hi int) {
	for ; lo < hi && lo&7 != 0; lo++ {
		bitmap[lo>>3] |= 1 << (lo & 7)
	}
	if lo < hi {
		whole := bitmap[lo>>3 : hi>>3]
		for i := range whole {
			whole[i] = 0xff
		}
		lo += len(whole) * 8
	}
	for ; lo < hi; lo++ {
		bitmap[lo>>3] |= 1 << (lo & 7)
	}
}

// PackBits packs bit number bit of each byte, eight to a byte, the padding zero.
func PackBits(dst, src []byte, bit uint) {
	words := View[uint64](src[:len(src)&^7])
	for i, w := range words {
		// The multiplication moves the lowest bit of byte k to bit 56+k.
		dst[i] = byte(w >> bit & 0x0101010101010101 * 0x0102040810204080 >> 56)
	}
	if rest := src[len(src)&^7:]; len(rest) > 0 {
		b := byte(0)
		for k, x := range rest {
			b |= x >> bit & 1 << k
		}
		dst[len(words)] = b
	}
}
