package keyencode

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A domain numbers every value that a type can have, and NaN and null where they can be, from 0 to last; values have 0
// to values. It needs no statistics.
type domain struct {
	classCodes
	values, last uint64
}

// domain reports false for a column that is not numbers of up to 64 bits. last is 0 where it would be 2^64.
func (c *Column) domain(nulls NullPlacement) (r domain, ok bool) {
	switch {
	case c.Kind == Bool:
		r.values = 1
	case c.Kind.isDictionary():
		r.values = 1<<32 - 2
	case Int8 <= c.Kind && c.Kind <= Float64:
		r.values = buffers.LowBits(8 * c.ValueBytes())
	default:
		return r, false
	}
	if c.Kind.isFloat() { // no value has the first two words or the last two: those of NaN with and without a sign
		r.classCodes = placeClasses(1, 1, 1, nulls, r.values-2)
		r.first, r.extra = 0, 0
	} else if c.nullable() || c.Kind.isDictionary() { // entries of dictionaries can be null
		r.classCodes = placeClasses(1, 0, 1, nulls, r.values)
	}
	r.last = r.values + r.extra
	return r, true
}

// nullable reports whether rows can be null.
func (c *Column) nullable() bool {
	for i := range c.Chunks {
		if c.Chunks[i].Rows > 0 && c.Chunks[i].Validity != nil {
			return true
		}
	}
	return false
}

// EncodeWords writes order-preserving words of rows lo..lo+len(dst)-1 of a key column without statistics and without a
// plan: as they compare, so do the rows. It is for sorts too small to measure first. It reports false, and writes
// nothing, for a column that is not one chunk of integers or floats without a validity bitmap. The words are part of
// the format of docs/rows.md and do not change.
func EncodeWords(dst []uint64, c *Column, k Key, lo int) bool {
	l, ok := c.domainCode(k)
	if !ok || len(c.Chunks) != 1 {
		return false
	}
	r := reader{column: c}
	b := r.block(&c.Chunks[0], lo, len(dst))
	l.encode(dst, &b)
	return true
}

// NewWordPlan returns a plan whose codes are these words, without statistics: for a single key whose sampled values
// vary in nearly all bits, so that statistics would not make the codes shorter. The order of the rows is unknown. It
// reports false for a column that is not integers or floats, or has a validity bitmap.
func NewWordPlan(columns []Column, k Key) (*Plan, bool) {
	c := &columns[k.Column]
	l, ok := c.domainCode(k)
	if !ok {
		return nil, false
	}
	p := &Plan{rows: c.Rows()}
	p.keys = []keyPlan{newKeyPlan(c, k, Statistics{Rows: p.rows})}
	p.addField(field{part: partWord, top: buffers.LowBits(8 * c.ValueBytes()), affine: l})
	p.pack(0)
	return p, true
}

// domainCode makes the numbers of a column of valid integers or floats.
func (c *Column) domainCode(k Key) (affine, bool) {
	if c.Kind < Int8 || c.Kind > Float64 || c.nullable() {
		return affine{}, false
	}
	r, _ := c.domain(k.Nulls)
	return r.affine(k.Order, r.values, 1), true
}

// DecodeWords is the inverse of EncodeWords: it writes the values of the words of a key to values, little-endian,
// as Values of a kind from Int8 to Float64 holds them. -0.0 comes back as +0.0, NaN as the canonical quiet NaN. The
// words of float nulls, NullWord, come back as +0.0. It returns how many words it decoded: fewer than all when the next
// one is not a word that EncodeWords makes, or is wider than the kind.
func DecodeWords(values []byte, words []uint64, kind Kind, k Key) int {
	c := Column{Kind: kind}
	r, _ := c.domain(k.Nulls)
	l := r.affine(k.Order, r.values, 1)
	switch kind {
	case Int8, Uint8:
		return decodeInts(buffers.Values[uint8](values, 0, len(words)), words, &l, kind.signBit())
	case Int16, Uint16:
		return decodeInts(buffers.Values[uint16](values, 0, len(words)), words, &l, kind.signBit())
	case Int32, Uint32:
		return decodeInts(buffers.Values[uint32](values, 0, len(words)), words, &l, kind.signBit())
	case Int64, Uint64:
		return decodeInts(buffers.Values[uint64](values, 0, len(words)), words, &l, kind.signBit())
	case Float16:
		return decodeFloats(buffers.Values[uint16](values, 0, len(words)), words, &l, 1<<15, 0x7c00)
	case Float32:
		return decodeFloats(buffers.Values[uint32](values, 0, len(words)), words, &l, 1<<31, 0x7f80_0000)
	case Float64:
		return decodeFloats(buffers.Values[uint64](values, 0, len(words)), words, &l, 1<<63, 0x7ff0_0000_0000_0000)
	}
	return 0
}

// NullWord returns a word for the nulls of floats of a kind, which no value and no NaN has in EncodeWords: the first or
// the last of the kind's width. Integers have no such word.
func NullWord(kind Kind, k Key) uint64 {
	c := Column{Kind: kind}
	r, _ := c.domain(k.Nulls)
	return r.null
}

func decodeInts[U buffers.Unsigned](dst []U, words []uint64, l *affine, sign uint64) int {
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

func decodeFloats[U uint16 | uint32 | uint64](dst []U, words []uint64, l *affine, sign, inf U) int {
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
