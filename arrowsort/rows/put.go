package rows

import (
	"encoding/binary"
	"unsafe"

	"github.com/arrowsort/arrowsort/keyencode"
)

// put writes the leaf of rows from row at of the chunk on to their positions, which move on.
func (k *chunk) put(t *tile, at int, pos []int) {
	switch {
	case k.format == formatNone:
	case k.entries != nil:
		k.putEntries(t.out, at, pos)
	case k.format == formatBool:
		k.putBools(t, at, pos)
	case k.format == formatWord:
		k.loadWords(t, at, len(pos))
		k.putWords(t, pos)
		k.putNulls(t.out, at, pos)
	case k.format == formatFloat:
		k.loadWords(t, at, len(pos))
		k.putWords(t, pos)
	case k.format == formatDecimal:
		k.putDecimals(t.out, at, pos)
	case k.format == formatBytes:
		k.putBytes(t.out, at, pos)
	case k.format == formatText:
		k.putTexts(t, at, pos)
	}
}

// loadWords are the ordered words of rows; those of nulls are 0, or the word of a float null.
func (k *chunk) loadWords(t *tile, at, n int) {
	words := t.words[:n]
	keyencode.EncodeWords(words, &k.values, k.key, at)
	if k.Validity == nil {
		return
	}
	for i := range words {
		if !k.valid(at + i) {
			words[i] = k.nullWord
		}
	}
}

func (k *chunk) putWords(t *tile, pos []int) {
	switch words := t.words[:len(pos)]; k.width {
	case 1:
		putWords[uint8](t.out, pos, words, k.format)
	case 2:
		putWords[uint16](t.out, pos, words, k.format)
	case 4:
		putWords[uint32](t.out, pos, words, k.format)
	case 8:
		putWords[uint64](t.out, pos, words, k.format)
	}
}

// putWords writes words; those of integers after the class of a value.
func putWords[U uint8 | uint16 | uint32 | uint64](out []byte, pos []int, words []uint64, f format) {
	size := int(unsafe.Sizeof(U(0)))
	words = words[:len(pos)]
	if f == formatFloat {
		for i, p := range pos {
			putWord[U](out[p:p+size:p+size], words[i])
			pos[i] = p + size
		}
		return
	}
	for i, p := range pos {
		b := out[p : p+1+size : p+1+size]
		b[0] = classValue
		putWord[U](b[1:], words[i])
		pos[i] = p + 1 + size
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

// putNulls writes the class of nulls whose words are written already, as the classes of values.
func (k *chunk) putNulls(out []byte, at int, pos []int) {
	if k.Validity == nil {
		return
	}
	for i, p := range pos {
		if !k.valid(at + i) {
			out[p-k.bytes] = k.null
		}
	}
}

func (k *chunk) putBools(t *tile, at int, pos []int) {
	flip := byte(k.flip) & 1
	for i, p := range pos {
		bit := k.Offset + at + i
		b := classValue + (k.Values[bit>>3]>>(bit&7)&1 ^ flip)
		if !k.valid(at + i) {
			b = k.null
		}
		t.out[p] = b
		pos[i] = p + 1
	}
}

// putDecimals writes limbs, the most significant one first, with the sign bit flipped.
func (k *chunk) putDecimals(out []byte, at int, pos []int) {
	for i, p := range pos {
		pos[i] = p + k.bytes
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
		pos[i] = p + k.bytes
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
