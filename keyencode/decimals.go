package keyencode

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A wideRange sums up ordered decimals.
type wideRange struct {
	lo, hi  uint256
	or, and uint64 // of the low limbs
}

func measureWide(s *Statistics, r *reader, lo, hi int) {
	ones := ^uint64(0)
	w := wideRange{lo: uint256{ones, ones, ones, ones}, and: ones}
	order := rowOrder{key: s.key}
	s.Rows = hi - lo
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		if b.validity != nil {
			s.Nulls += buffers.CountZeros(b.validity, b.bit, n)
		}
		order.addDecimals(&b)
		if b.kind == Decimal128 {
			w.add128(&b, buffers.Values[uint64](b.values, 2*b.at, 2*n))
			return
		}
		for i := range n {
			if b.valid(i) {
				w.add(decimalAt(&b, i))
			}
		}
	})
	order.store(s)
	if s.Values() > 0 {
		s.Min, s.Max, s.Or, s.And = w.lo, w.hi, w.or, w.and
	}
}

// valid reports whether a row is not null.
func (b *block) valid(i int) bool { return b.validity == nil || buffers.Bit(b.validity, b.bit+i) }

func (w *wideRange) add(v uint256) {
	if v.compare(w.lo) < 0 {
		w.lo = v
	}
	if v.compare(w.hi) > 0 {
		w.hi = v
	}
	w.or |= v[0]
	w.and &= v[0]
}

// add128 is add for a block of decimals of two limbs, in registers.
func (w *wideRange) add128(b *block, src []uint64) {
	lo0, lo1, hi0, hi1, or, and := w.lo[0], w.lo[1], w.hi[0], w.hi[1], w.or, w.and
	for i := 0; i+1 < len(src); i += 2 {
		if !b.valid(i / 2) {
			continue
		}
		v0, v1 := src[i], src[i+1]^1<<63
		if v1 < lo1 || v1 == lo1 && v0 < lo0 {
			lo0, lo1 = v0, v1
		}
		if v1 > hi1 || v1 == hi1 && v0 > hi0 {
			hi0, hi1 = v0, v1
		}
		or |= v0
		and &= v0
	}
	w.lo, w.hi, w.or, w.and = uint256{lo0, lo1}, uint256{hi0, hi1}, or, and
}

// addDecimals compares the rows of a block with their predecessors.
func (o *rowOrder) addDecimals(b *block) {
	row := func(i int) (d rowValue) {
		if d.class = ClassNull; b.valid(i) {
			d = rowValue{num: decimalAt(b, i)}
		}
		return d
	}
	for i := 0; i < b.rows && !o.done(); i++ {
		o.next(row(i))
	}
	o.last = row(b.rows - 1)
}

// decimalAt is value i of a block of decimals as ordered limbs: two's complement with the sign bit flipped.
func decimalAt(b *block, i int) (v uint256) {
	at := (b.at + i) * b.width
	n := b.width / 8
	for l := range n {
		v[l] = binary.LittleEndian.Uint64(b.values[at+l*8:])
	}
	v[n-1] ^= 1 << 63
	return v
}

// wide is the code of decimals whose values span more than 64 bits: (v-base) >> shift, or what that lacks to last if
// descending. A limb of it is a field.
type wide struct {
	base, last uint256
	shift      uint
	descending bool
}

func (w *wide) code(v uint256) uint256 {
	v = v.sub(w.base).shr(w.shift)
	if w.descending {
		return w.last.sub(v)
	}
	return v
}

func (w *wide) invert(code uint256) uint256 {
	if w.descending {
		code = w.last.sub(code)
	}
	return code.shl(w.shift).add(w.base)
}

// encode writes one limb of the codes, plus first; null where there is no value.
func (w *wide) encode(dst []uint64, b *block, limb int, first, null uint64) {
	if b.kind == Decimal128 {
		w.encode128(dst, buffers.Values[uint64](b.values, 2*b.at, 2*b.rows), limb, first)
	} else {
		for i := range dst {
			dst[i] = w.code(decimalAt(b, i))[limb] + first
		}
	}
	if b.validity != nil {
		buffers.SetWhereZero(dst, b.validity, b.bit, null)
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
