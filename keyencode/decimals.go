package keyencode

import (
	"encoding/binary"
	"math/bits"
)

// decimalAt is value i of a block of decimals as ordered limbs: two's complement with the sign bit flipped.
func decimalAt(b *block, i int) (v limbs) {
	at := (b.at + i) * b.width
	n := b.width / 8
	for l := range n {
		v[l] = binary.LittleEndian.Uint64(b.values[at+l*8:])
	}
	v[n-1] ^= 1 << 63
	return v
}

// wide is how decimals whose values span more than 64 bits become codes: (v-base) >> shift, or what that lacks to last
// if descending. A limb of it is a field.
type wide struct {
	base, last limbs
	shift      uint
	descending bool
}

func (w *wide) code(v limbs) limbs {
	v = v.sub(w.base).shr(w.shift)
	if w.descending {
		return w.last.sub(v)
	}
	return v
}

func (w *wide) invert(code limbs) limbs {
	if w.descending {
		code = w.last.sub(code)
	}
	return code.shl(w.shift).add(w.base)
}

// encode writes one limb of the codes, plus first; null where there is no value.
func (w *wide) encode(dst []uint64, b *block, limb int, first, null uint64) {
	if b.kind == Decimal128 {
		w.encode128(dst, valuesOf[uint64](b.values, 2*b.at, 2*b.rows), limb, first)
	} else {
		for i := range dst {
			dst[i] = w.code(decimalAt(b, i))[limb] + first
		}
	}
	if b.validity != nil {
		setWhereZero(dst, b.validity, b.bit, null)
	}
}

// encode128 is code for two limbs. Adding the base's sign bit to both sides of the subtraction is left out: it cancels.
func (w *wide) encode128(dst, src []uint64, limb int, first uint64) {
	base0, base1, shift := w.base[0], w.base[1]^1<<63, w.shift&63
	last0, last1 := w.last[0], w.last[1]
	src = src[:2*len(dst)]
	for i := range dst {
		lo, borrow := bits.Sub64(src[2*i], base0, 0)
		hi, _ := bits.Sub64(src[2*i+1], base1, borrow)
		lo, hi = lo>>shift|hi<<(64-shift), hi>>shift
		if w.descending {
			lo, borrow = bits.Sub64(last0, lo, 0)
			hi, _ = bits.Sub64(last1, hi, borrow)
		}
		if limb == 0 {
			hi = lo
		}
		dst[i] = hi + first
	}
}
