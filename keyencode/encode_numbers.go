package keyencode

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// affine turns an ordered word u into a code: bias + ((u-base) >> shift) * mul, modulo 2^64. The four numbers express
// ascending or descending order, a stride, and NaN and null before or after the values.
type affine struct {
	base  uint64
	shift uint
	mul   uint64
	bias  uint64
	nan   uint64 // the code of NaN
	null  uint64 // the code of null
}

// identity returns ordered words themselves. No other float or rank has the word of NaN and null.
var identity = affine{mul: 1, nan: ^uint64(0), null: ^uint64(0)}

// code is the definition that the kernels below spell out by type.
func (l *affine) code(u uint64) uint64 { return l.bias + (u-l.base)>>l.shift*l.mul }

// times is l with all codes multiplied by a factor.
func (l affine) times(factor uint64) affine {
	l.mul, l.bias, l.nan, l.null = l.mul*factor, l.bias*factor, l.nan*factor, l.null*factor
	return l
}

// invert returns the ordered word of a code.
func (l *affine) invert(code uint64) uint64 { return (code-l.bias)*inverse(l.mul)<<l.shift + l.base }

// encode writes the codes of a block of values of up to 64 bits, or of the low limbs of decimals.
func (l *affine) encode(dst []uint64, b *block) {
	switch b.kind {
	case Null:
		fill(dst, l.null)
		return
	case Bool:
		encodeBits(dst, b, l)
	case Int8, Uint8:
		encodeInts(dst, buffers.Values[uint8](b.values, b.at, b.rows), l, b.kind.signBit())
	case Int16, Uint16:
		encodeInts(dst, buffers.Values[uint16](b.values, b.at, b.rows), l, b.kind.signBit())
	case Int32, Uint32:
		encodeInts(dst, buffers.Values[uint32](b.values, b.at, b.rows), l, b.kind.signBit())
	case Int64, Uint64:
		encodeInts(dst, buffers.Values[uint64](b.values, b.at, b.rows), l, b.kind.signBit())
	case Float16:
		encodeFloats(dst, buffers.Values[uint16](b.values, b.at, b.rows), l, 1<<15, 0x7c00)
	case Float32:
		encodeFloats(dst, buffers.Values[uint32](b.values, b.at, b.rows), l, 1<<31, 0x7f80_0000)
	case Float64:
		encodeFloats(dst, buffers.Values[uint64](b.values, b.at, b.rows), l, 1<<63, 0x7ff0_0000_0000_0000)
	case Decimal128, Decimal256:
		encodeLowLimbs(dst, b, l)
	case FixedSizeBinary:
		encodeFixed(dst, b, l)
	default:
		encodeRanks(dst, b, l)
		return
	}
	if b.validity != nil {
		buffers.SetWhereZero(dst, b.validity, b.bit, l.null)
	}
}

func fill(dst []uint64, v uint64) {
	for i := range dst {
		dst[i] = v
	}
}

func encodeInts[U buffers.Unsigned](dst []uint64, src []U, l *affine, sign uint64) {
	base, shift, mul, bias := U(l.base)^U(sign), l.shift&63, l.mul, l.bias
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = bias + uint64(x-base)>>shift*mul
	}
}

// encodeFloats turns sign and magnitude of floats into two's complement: both zeros become one, and low bits that are
// zero in all magnitudes stay zero. Magnitudes above infinity are NaN.
func encodeFloats[U uint16 | uint32 | uint64](dst []uint64, src []U, l *affine, sign, inf U) {
	base, shift, mul, bias, nan := U(l.base)^sign, l.shift&63, l.mul, l.bias, l.nan
	dst = dst[:len(src)]
	for i, x := range src {
		v := x
		if x&sign != 0 {
			v = sign - x
		}
		code := bias + uint64(v-base)>>shift*mul
		if v+inf > 2*inf {
			code = nan
		}
		dst[i] = code
	}
}

func encodeBits(dst []uint64, b *block, l *affine) {
	codes := [2]uint64{l.code(0), l.code(1)}
	for i := range dst {
		at := b.at + i
		dst[i] = codes[b.values[at>>3]>>(at&7)&1]
	}
}

func encodeLowLimbs(dst []uint64, b *block, l *affine) {
	src := b.values[b.at*b.width:]
	for i := range dst {
		dst[i] = l.code(binary.LittleEndian.Uint64(src[i*b.width:]))
	}
}

func encodeFixed(dst []uint64, b *block, l *affine) {
	src := b.values[b.at*b.width:]
	for i := range dst {
		dst[i] = l.code(buffers.BigEndian(src[i*b.width : (i+1)*b.width]))
	}
}

// encodeRanks looks up the ranks of dictionary indices. Indices under a null may be anything: they are not read.
func encodeRanks(dst []uint64, b *block, l *affine) {
	for i := range dst {
		dst[i] = l.null
		if b.validity != nil && !buffers.Bit(b.validity, b.bit+i) {
			continue
		}
		if rank := b.ranks[buffers.Index(b.values, b.width, b.at+i)]; rank != 0 {
			dst[i] = l.code(uint64(rank - 1))
		}
	}
}

// classCodes lay out a key's values, NaN and null, its classes, in one range of codes: values start at first, NaN and
// null have one code each.
type classCodes struct {
	first, nan, null uint64
	extra            uint64 // how many codes NaN and null take
}

// placeClasses returns the codes of the classes that occur, given the rows of each and value codes 0..last.
func placeClasses(values, nans, nulls int, placement NullPlacement, last uint64) (c classCodes) {
	after := last + 1 // the values
	if values == 0 {
		after = 0
	}
	nan, missing := uint64(min(nans, 1)), uint64(min(nulls, 1))
	c.extra = nan + missing
	if placement == NullsAtStart {
		c.nan, c.first = missing, c.extra
	} else {
		c.nan, c.null = after, after+nan
	}
	return c
}

// affine gives words, the inverse of mul apart, the codes of values 0..last in the order of the key.
func (c *classCodes) affine(order Order, last, mul uint64) affine {
	l := affine{mul: mul, bias: c.first, nan: c.nan, null: c.null}
	if order == Descending {
		l.mul, l.bias = -mul, c.first+last
	}
	return l
}
