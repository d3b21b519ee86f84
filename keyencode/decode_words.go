package keyencode

import "unsafe"

// DecodeWords is the inverse of EncodeWords: it writes the values of the words of a key to values, little-endian, as
// Values of a kind from Int8 to Float64 holds them. -0.0 comes back as +0.0, NaN as the canonical quiet NaN. The words
// of float nulls, NullWord, come back as +0.0. It returns how many words it decoded: fewer than all when the next one
// is not a word that EncodeWords makes, or is wider than the kind.
func DecodeWords(values []byte, words []uint64, kind Kind, k Key) int {
	c := Column{Kind: kind}
	r, _ := c.typeRange(k.Nulls)
	l := r.linear(k.Order, r.values, 1)
	switch kind {
	case Int8, Uint8:
		return decodeInts(valuesOf[uint8](values, 0, len(words)), words, &l, kind.signBit())
	case Int16, Uint16:
		return decodeInts(valuesOf[uint16](values, 0, len(words)), words, &l, kind.signBit())
	case Int32, Uint32:
		return decodeInts(valuesOf[uint32](values, 0, len(words)), words, &l, kind.signBit())
	case Int64, Uint64:
		return decodeInts(valuesOf[uint64](values, 0, len(words)), words, &l, kind.signBit())
	case Float16:
		return decodeFloats(valuesOf[uint16](values, 0, len(words)), words, &l, 1<<15, 0x7c00)
	case Float32:
		return decodeFloats(valuesOf[uint32](values, 0, len(words)), words, &l, 1<<31, 0x7f80_0000)
	case Float64:
		return decodeFloats(valuesOf[uint64](values, 0, len(words)), words, &l, 1<<63, 0x7ff0_0000_0000_0000)
	}
	return 0
}

// NullWord is a word for the nulls of floats of a kind, which no value and no NaN has in EncodeWords: the first or the
// last of the kind's width. Integers have no such word.
func NullWord(kind Kind, k Key) uint64 {
	c := Column{Kind: kind}
	r, _ := c.typeRange(k.Nulls)
	return r.null
}

func decodeInts[U unsigned](dst []U, words []uint64, l *linear, sign uint64) int {
	mul, bias, flip, last := l.mul, l.bias, U(sign), uint64(^U(0))
	words = words[:len(dst)]
	for i, w := range words {
		if w > last {
			return i
		}
		dst[i] = U((w-bias)*mul) ^ flip // mul is 1 or -1, its own inverse
	}
	return len(words)
}

func decodeFloats[U uint16 | uint32 | uint64](dst []U, words []uint64, l *linear, sign, inf U) int {
	width := 8 * uint(unsafe.Sizeof(sign))
	words = words[:len(dst)]
	for i, w := range words {
		v := U((w-l.bias)*l.mul) ^ sign // two's complement
		switch {
		case w>>(width-1)>>1 != 0:
			return i
		case v+inf <= 2*inf:
			if v&sign != 0 {
				v = sign - v
			}
		case w == l.nan:
			v = inf + inf&-inf>>1
		case w == l.null:
			v = 0
		default:
			return i
		}
		dst[i] = v
	}
	return len(words)
}
