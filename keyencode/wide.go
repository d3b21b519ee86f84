package keyencode

import "encoding/binary"

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
	for i := range dst {
		if b.validity != nil && !bitAt(b.validity, b.bit+i) {
			dst[i] = null
			continue
		}
		dst[i] = w.code(decimalAt(b, i))[limb] + first
	}
}
