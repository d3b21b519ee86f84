package rowcode

import (
	"encoding/binary"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// putInts writes integers after the class of a value, the sign bit flipped.
func (k *chunk) putInts(out []byte, at int, pos []int) {
	switch k.width {
	case 1:
		putInts[uint8](k, out, at, pos)
	case 2:
		putInts[uint16](k, out, at, pos)
	case 4:
		putInts[uint32](k, out, at, pos)
	case 8:
		putInts[uint64](k, out, at, pos)
	}
	if k.Validity == nil {
		return
	}
	for i, p := range pos {
		if !k.valid(at + i) {
			copy(out[p:], k.nullCode)
		}
	}
}

func putInts[U uint8 | uint16 | uint32 | uint64](k *chunk, out []byte, at int, pos []int) {
	size := int(unsafe.Sizeof(U(0)))
	values := buffers.Values[U](k.Values, k.Offset+at, len(pos))
	for i, p := range pos {
		b := out[p:][:1+size]
		b[0] = classValue
		putWord[U](b[1:], uint64(values[i])^k.mask)
	}
}

// putFloats writes the ordered words of floats; that of null is one that no value has.
func (k *chunk) putFloats(t *tile, out []byte, at int, pos []int) {
	words := t.words[:len(pos)]
	keyencode.EncodeWords(words, &k.values, k.key, at)
	if k.Validity != nil {
		for i := range words {
			if !k.valid(at + i) {
				words[i] = k.nullWord
			}
		}
	}
	switch k.width {
	case 2:
		putWords[uint16](out, pos, words)
	case 4:
		putWords[uint32](out, pos, words)
	case 8:
		putWords[uint64](out, pos, words)
	}
}

func putWords[U uint16 | uint32 | uint64](out []byte, pos []int, words []uint64) {
	size := int(unsafe.Sizeof(U(0)))
	words = words[:len(pos)]
	for i, p := range pos {
		putWord[U](out[p:p+size:p+size], words[i])
	}
}

// putWord writes the low bytes of a word, the most significant one first.
func putWord[U uint8 | uint16 | uint32 | uint64](b []byte, w uint64) {
	switch unsafe.Sizeof(U(0)) {
	case 1:
		b[0] = byte(w)
	case 2:
		binary.BigEndian.PutUint16(b, uint16(w))
	case 4:
		binary.BigEndian.PutUint32(b, uint32(w))
	case 8:
		binary.BigEndian.PutUint64(b, w)
	}
}

func (k *chunk) putBools(out []byte, at int, pos []int) {
	flip := byte(k.flip) & 1
	for i, p := range pos {
		bit := k.Offset + at + i
		b := classValue + (k.Values[bit>>3]>>(bit&7)&1 ^ flip)
		if !k.valid(at + i) {
			b = k.null
		}
		out[p] = b
	}
}

// putDecimals writes limbs, the most significant one first, with the sign bit flipped.
func (k *chunk) putDecimals(out []byte, at int, pos []int) {
	for i, p := range pos {
		if !k.valid(at + i) {
			copy(out[p:], k.nullCode)
			continue
		}
		out[p] = classValue
		sign := uint64(1) << 63
		for b := k.Values[(k.Offset+at+i)*k.width:][:k.width]; len(b) > 0; b = b[:len(b)-8] {
			limb := binary.LittleEndian.Uint64(b[len(b)-8:]) ^ sign ^ k.flip
			binary.BigEndian.PutUint64(out[p+1+k.width-len(b):], limb)
			sign = 0
		}
	}
}

// putBytes writes values of a fixed number of bytes.
func (k *chunk) putBytes(out []byte, at int, pos []int) {
	for i, p := range pos {
		if !k.valid(at + i) {
			copy(out[p:], k.nullCode)
			continue
		}
		out[p] = classValue
		copyFlipped(out[p+1:], k.Values[(k.Offset+at+i)*k.width:][:k.width], k.flip)
	}
}

// copyFlipped copies src to the start of dst, inverted if flip is all ones. Short ones are copied here, as that is
// faster than a call.
func copyFlipped(dst, src []byte, flip uint64) {
	n := len(src)
	dst = dst[:n]
	switch {
	case n > 64 && flip == 0:
		copy(dst, src)
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:])^flip)
		}
		binary.LittleEndian.PutUint64(dst[n-8:], binary.LittleEndian.Uint64(src[n-8:])^flip)
	case n >= 4: // two words that overlap
		lo, hi := binary.LittleEndian.Uint32(src), binary.LittleEndian.Uint32(src[n-4:])
		binary.LittleEndian.PutUint32(dst, lo^uint32(flip))
		binary.LittleEndian.PutUint32(dst[n-4:], hi^uint32(flip))
	default:
		for i, x := range src {
			dst[i] = x ^ byte(flip)
		}
	}
}

// entry returns the encoded entry of row i of a dictionary column.
func (k *chunk) entry(i int) []byte {
	if !k.valid(i) {
		return k.nullCode
	}
	return k.entries.Row(int(k.index(i)) - k.first)
}

func (k *chunk) putEntries(out []byte, at int, pos []int) {
	for i, p := range pos {
		entry := k.entry(at + i)
		copyFlipped(out[p:], entry, 0)
		if k.varies() {
			pos[i] = p + len(entry)
		}
	}
}
