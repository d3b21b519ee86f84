package enginetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/arrowsort/arrowsort/keyencode"
)

// patternBits is the number of bits of the patterns that a kind's values are made of.
func patternBits(kind keyencode.Kind) int {
	switch kind {
	case keyencode.Bool:
		return 1
	case keyencode.Int8, keyencode.Uint8:
		return 8
	case keyencode.Int16, keyencode.Uint16, keyencode.Float16:
		return 16
	case keyencode.Int32, keyencode.Uint32, keyencode.Float32:
		return 32
	}
	return 64
}

// cells makes values of a kind, in their bytes: little-endian numbers, one byte 0 or 1 for Bool, the bytes of a string,
// an index below entries for a dictionary. A style picks among shapes of wide values (0 to 3).
func cells(r *rand.Rand, kind keyencode.Kind, width, style, entries int, patterns []uint64) [][]byte {
	out := make([][]byte, len(patterns))
	bits := patternBits(kind)
	for i, p := range patterns {
		switch kind {
		case keyencode.Null:
		case keyencode.Bool, keyencode.Uint8, keyencode.Uint16, keyencode.Uint32, keyencode.Uint64:
			out[i] = little(p, max(bits/8, 1))
		case keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64:
			out[i] = little(p^1<<(bits-1), bits/8)
		case keyencode.Float16, keyencode.Float32, keyencode.Float64:
			out[i] = little(floatBits(r, p, bits), bits/8)
		case keyencode.Decimal128:
			out[i] = decimal(r, p, style, 2)
		case keyencode.Decimal256:
			out[i] = decimal(r, p, style, 4)
		case keyencode.FixedSizeBinary:
			out[i] = text(r, p, style, width)
		case keyencode.Dictionary8:
			out[i] = little(p%uint64(entries), 1)
		case keyencode.Dictionary16:
			out[i] = little(p%uint64(entries), 2)
		case keyencode.Dictionary32:
			out[i] = little(p%uint64(entries), 4)
		case keyencode.Dictionary64:
			out[i] = little(p%uint64(entries), 8)
		default:
			out[i] = text(r, p, style, -1)
		}
	}
	return out
}

func little(v uint64, size int) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:size]
}

// floatBits takes a pattern to a float so that order is kept, and now and then to a zero of either sign, an infinity, a
// subnormal or a NaN of any sign and payload.
func floatBits(r *rand.Rand, p uint64, bits int) uint64 {
	sign := uint64(1) << (bits - 1)
	infinity := map[int]uint64{16: 0x7C00, 32: 0x7F80_0000, 64: 0x7FF0_0000_0000_0000}[bits]
	if r.IntN(40) == 0 {
		negative := sign * uint64(r.IntN(2))
		return negative | []uint64{0, 0, infinity, infinity | 1, infinity | sign>>2, sign - 1, 1}[r.IntN(7)]
	}
	if p < sign {
		return ^p & (math.MaxUint64 >> (64 - bits))
	}
	return p ^ sign
}

// decimal is a small number, or one with the pattern in its top limb and few or many values below.
func decimal(r *rand.Rand, p uint64, style, limbs int) []byte {
	v := make([]byte, 0, limbs*8)
	value := int64(p ^ 1<<63)
	if style == 0 {
		v = binary.LittleEndian.AppendUint64(v, uint64(value))
		for range limbs - 1 {
			v = binary.LittleEndian.AppendUint64(v, uint64(value>>63))
		}
		return v
	}
	for range limbs - 1 {
		v = binary.LittleEndian.AppendUint64(v, r.Uint64()>>(64-style*16))
	}
	return binary.LittleEndian.AppendUint64(v, uint64(value>>((style-1)*30)))
}

// text is bytes that keep the order of the patterns in styles 0 and 1: eight bytes, or a long shared head before them;
// style 2 is short texts that are prefixes of each other, with zero bytes; style 3 is words of 5 to 40 bytes.
// A width of -1 leaves the length to the style.
func text(r *rand.Rand, p uint64, style, width int) []byte {
	big := binary.BigEndian.AppendUint64(nil, p)
	var v []byte
	switch style {
	case 0:
		v = big
	case 1:
		v = append([]byte("a head that all of the texts share, "), big...)
		v = append(v, make([]byte, r.IntN(4))...)
	case 2:
		v = []byte("\x00\x00a\x00\xff\x00b\x00")[:p%9]
	default:
		v = fmt.Appendf(nil, "%05d", p%1000)
		for range r.IntN(36) {
			v = append(v, byte('a'+r.IntN(3)))
		}
	}
	if width < 0 {
		return v
	}
	for len(v) < width {
		v = append(v, byte(r.IntN(2)))
	}
	return v[len(v)-width:]
}
