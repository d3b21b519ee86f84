package rows

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/keyencode"
)

// The bytes of text, before Descending inverts them. An escaped byte is escape and one more than the byte.
const (
	terminator = 0x00
	escape     = 0x01
)

// addWidths adds the bytes of text of rows from row at of the chunk on to their widths.
func (k *chunk) addWidths(t *tile, at int, widths []int) {
	texts := t.texts[:len(widths)]
	if k.entries != nil {
		k.loadEntries(texts, at)
		for i, s := range texts {
			widths[i] += len(s)
		}
		return
	}
	clean := k.loadTexts(texts, at)
	for i, s := range texts {
		switch {
		case s == nil:
			widths[i]++
		case clean:
			widths[i] += len(s) + 2
		default:
			widths[i] += len(s) + 2 + escaped(s)
		}
	}
}

// loadTexts are the strings of rows, nil for a null. It reports whether none has a byte to escape; false if that would
// take more than one look at all of them together.
func (k *chunk) loadTexts(texts [][]byte, at int) (clean bool) {
	switch first := k.Offset + at; k.kind {
	case keyencode.Binary:
		clean = loadTexts(texts, arrow.Int32Traits.CastFromBytes(k.Values)[first:], k.Data[0])
	case keyencode.LargeBinary:
		clean = loadTexts(texts, arrow.Int64Traits.CastFromBytes(k.Values)[first:], k.Data[0])
	}
	if k.kind == keyencode.BinaryView {
		k.loadViews(texts, at)
	} else if k.Validity != nil {
		for i := range texts {
			if !k.valid(at + i) {
				texts[i] = nil
			}
		}
	}
	return clean
}

var noBytes = []byte{}

func loadTexts[O int32 | int64](texts [][]byte, offsets []O, data []byte) (clean bool) {
	offsets = offsets[:len(texts)+1]
	lo := offsets[0]
	if all := offsets[len(texts)]; all > lo {
		clean = escaped(data[lo:all]) == 0
	} else {
		clean = true
	}
	for i := range texts {
		hi := offsets[i+1]
		if lo < hi {
			texts[i] = data[lo:hi:hi]
		} else {
			texts[i] = noBytes // the data may be nil, and have no byte lo
		}
		lo = hi
	}
	return clean
}

// loadViews reads views of 16 bytes; those of nulls may be anything.
func (k *chunk) loadViews(texts [][]byte, at int) {
	for i := range texts {
		if !k.valid(at + i) {
			texts[i] = nil
			continue
		}
		view := k.Values[(k.Offset+at+i)*16:][:16]
		n := binary.LittleEndian.Uint32(view)
		if n <= 12 {
			texts[i] = view[4 : 4+n]
			continue
		}
		from := int(binary.LittleEndian.Uint32(view[12:]))
		texts[i] = k.Data[binary.LittleEndian.Uint32(view[8:])][from : from+int(n)]
	}
}

// putTexts writes loaded strings.
func (k *chunk) putTexts(t *tile, pos []int, clean bool) {
	out, flip := t.out, k.flip
	for i, s := range t.texts[:len(pos)] {
		p := pos[i]
		if s == nil {
			out[p] = k.null
			pos[i] = p + 1
			continue
		}
		out[p] = classValue
		if clean {
			copyFlipped(out[p+1:], s, flip)
			p += 1 + len(s)
		} else {
			p = putEscaped(out, p+1, s, byte(flip))
		}
		out[p] = terminator ^ byte(flip)
		pos[i] = p + 1
	}
}

// putEscaped writes a string from position p on and returns the position after it.
func putEscaped(out []byte, p int, s []byte, flip byte) int {
	for _, x := range s {
		if x <= escape {
			out[p] = escape ^ flip
			p++
			x++
		}
		out[p] = x ^ flip
		p++
	}
	return p
}

// escaped counts the bytes to escape: those up to escape.
func escaped(s []byte) (n int) {
	for ; len(s) >= 8; s = s[8:] {
		n += bits.OnesCount64(lowBytes(binary.LittleEndian.Uint64(s)))
	}
	for _, x := range s {
		if x <= escape {
			n++
		}
	}
	return n
}

// lowBytes has the highest bit of each byte of x set that is at most escape: those that are zero but for the lowest
// bit. Adding 0x7f to the low seven bits of the others sets their highest bit, and does not carry.
func lowBytes(x uint64) uint64 {
	const low7 = 0x7f7f_7f7f_7f7f_7f7f
	x &= 0xfefe_fefe_fefe_fefe
	return ^(x&low7 + low7 | x | low7)
}

// loadEntries are the encoded entries of rows of a dictionary column.
func (k *chunk) loadEntries(texts [][]byte, at int) {
	for i := range texts {
		if k.valid(at + i) {
			texts[i] = k.entries.Row(int(k.index(at+i)) - k.first)
		} else {
			texts[i] = k.nullCode
		}
	}
}

// putEntries writes loaded entries.
func (t *tile) putEntries(pos []int) {
	for i, s := range t.texts[:len(pos)] {
		copyFlipped(t.out[pos[i]:], s, 0)
		pos[i] += len(s)
	}
}

// index is the index of row i of a dictionary column.
func (k *chunk) index(i int) uint64 {
	at := k.Offset + i
	switch k.values.Kind {
	case keyencode.Int8, keyencode.Uint8:
		return uint64(k.Values[at])
	case keyencode.Int16, keyencode.Uint16:
		return uint64(binary.LittleEndian.Uint16(k.Values[2*at:]))
	case keyencode.Int32, keyencode.Uint32:
		return uint64(binary.LittleEndian.Uint32(k.Values[4*at:]))
	}
	return binary.LittleEndian.Uint64(k.Values[8*at:])
}
