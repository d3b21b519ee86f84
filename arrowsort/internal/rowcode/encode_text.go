package rowcode

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

// addTexts is add for text.
func (k *chunk) addTexts(t *tile, at int, ends []int64, before int64) int64 {
	switch k.kind {
	case keyencode.BinaryView:
		for i, s := range k.loadViews(t, at, len(ends)) {
			before += int64(textWidth(s))
			ends[i] += before
		}
	case keyencode.Binary:
		return addTexts(k, arrow.Int32Traits.CastFromBytes(k.Values)[k.Offset:], at, ends, before)
	case keyencode.LargeBinary:
		return addTexts(k, arrow.Int64Traits.CastFromBytes(k.Values)[k.Offset:], at, ends, before)
	}
	return before
}

// putTexts writes text of rows from row at of the chunk on.
func (k *chunk) putTexts(t *tile, out []byte, at int, pos []int) {
	switch k.kind {
	case keyencode.BinaryView:
		for i, s := range k.loadViews(t, at, len(pos)) {
			pos[i] = k.putText(out, pos[i], s)
		}
	case keyencode.Binary:
		putTexts(k, out, arrow.Int32Traits.CastFromBytes(k.Values)[k.Offset:], at, pos)
	case keyencode.LargeBinary:
		putTexts(k, out, arrow.Int64Traits.CastFromBytes(k.Values)[k.Offset:], at, pos)
	}
}

// textWidth returns the bytes of a string in a row; nil is a null.
func textWidth(s []byte) int {
	if s == nil {
		return 1
	}
	return len(s) + 2 + escaped(s)
}

// addTexts looks at the bytes of all rows at once, as strings seldom have a byte to escape.
func addTexts[O int32 | int64](k *chunk, offsets []O, at int, ends []int64, before int64) int64 {
	offsets = offsets[at : at+len(ends)+1]
	if k.Validity != nil || !clean(k.Data[0], offsets) {
		k.escapes.Store(true)
		for i := range ends {
			before += int64(textWidth(textAt(k, offsets, at, i)))
			ends[i] += before
		}
		return before
	}
	// the class and the terminator of each row, and what is between the offsets
	before -= int64(offsets[0])
	for i, end := range offsets[1:] {
		before += 2
		ends[i] += before + int64(end)
	}
	return before + int64(offsets[len(ends)])
}

func putTexts[O int32 | int64](k *chunk, out []byte, offsets []O, at int, pos []int) {
	offsets = offsets[at : at+len(pos)+1]
	if k.Validity != nil || k.escapes.Load() && !clean(k.Data[0], offsets) {
		for i := range pos {
			pos[i] = k.putText(out, pos[i], textAt(k, offsets, at, i))
		}
		return
	}
	data, flip, end := k.Data[0], k.flip, terminator^byte(k.flip)
	pos = pos[:len(offsets)-1]
	lo := int(offsets[0])
	for i, next := range offsets[1:] {
		hi, p := int(next), pos[i]
		var text []byte
		if lo < hi { // else the data may be nil
			text = data[lo:hi]
		}
		row := out[p:][:len(text)+2]
		if 8 <= len(text) && len(text) <= 14 { // two words that overlap have all bytes
			first, last := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[len(text)-8:])
			binary.LittleEndian.PutUint64(row, (first^flip)<<8|classValue)
			binary.LittleEndian.PutUint64(row[len(row)-8:], (last^flip)>>8|uint64(end)<<56)
		} else {
			row[0] = classValue
			copyFlipped(row[1:], text, flip)
			row[len(row)-1] = end
		}
		pos[i], lo = p+len(row), hi
	}
}

// clean reports whether no byte of rows next to each other has to be escaped.
func clean[O int32 | int64](data []byte, offsets []O) bool {
	lo, hi := offsets[0], offsets[len(offsets)-1]
	return lo == hi || isClean(data[lo:hi])
}

// isClean is escaped(s) == 0, several times faster.
func isClean(s []byte) bool {
	low := uint64(0)
	for ; len(s) >= 16; s = s[16:] {
		low |= firstLow(binary.LittleEndian.Uint64(s)) | firstLow(binary.LittleEndian.Uint64(s[8:]))
	}
	return low == 0 && escaped(s) == 0
}

// firstLow has the highest bit of the first byte of x set that is at most escape, the first being the lowest; it is 0
// if there is none. Subtracting 2 from each byte sets the bit; it may do so in bytes after the first one, too. Bytes
// from 0x80 on are taken out.
func firstLow(x uint64) uint64 {
	const twos, highs = 0x0202_0202_0202_0202, 0x8080_8080_8080_8080
	return (x - twos) &^ x & highs
}

var noBytes = []byte{}

// textAt returns the string of row at+i of the chunk, nil for a null.
func textAt[O int32 | int64](k *chunk, offsets []O, at, i int) []byte {
	switch lo, hi := offsets[i], offsets[i+1]; {
	case !k.valid(at + i):
		return nil
	case lo < hi:
		return k.Data[0][lo:hi]
	}
	return noBytes // the data may be nil, and have no byte lo
}

// loadViews returns the strings of views, nil for a null; views of nulls may be anything.
func (k *chunk) loadViews(t *tile, at, n int) [][]byte {
	if t.texts == nil {
		t.texts = make([][]byte, tileRows)
	}
	k.values.Strings(t.texts[:n], &k.Chunk, at)
	return t.texts[:n]
}

// putText writes a string, nil for a null, at position p and returns the position after it.
func (k *chunk) putText(out []byte, p int, s []byte) int {
	if s == nil {
		out[p] = k.null
		return p + 1
	}
	out[p] = classValue
	p = putEscaped(out, p+1, s, k.flip)
	out[p] = terminator ^ byte(k.flip)
	return p + 1
}

// putEscaped writes a string from position p on and returns the position after it.
func putEscaped(out []byte, p int, s []byte, flip uint64) int {
	if escaped(s) == 0 {
		copyFlipped(out[p:], s, flip)
		return p + len(s)
	}
	for _, x := range s {
		if x <= escape {
			out[p] = escape ^ byte(flip)
			p++
			x++
		}
		out[p] = x ^ byte(flip)
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
