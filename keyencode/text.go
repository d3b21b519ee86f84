package keyencode

import "encoding/binary"

// texts are the strings of a block; nil stands for null, and only for it where there are nulls.
type texts [gatherRows][]byte

// load finds the strings of rows at..at+n-1 of a chunk.
func (t *texts) load(c *Column, chunk *Chunk, at, n int) {
	at += chunk.Offset
	for i := range n {
		t[i] = textAt(c, chunk, at+i)
	}
}

// gather finds the strings of rows from anywhere in a column.
func (t *texts) gather(r *reader, rows []uint32) {
	var chunk *Chunk
	var start, end int
	for i, row := range rows {
		row := int(row)
		if row < start || row >= end {
			k := r.find(row)
			chunk, start, end = &r.column.Chunks[k], r.starts[k], r.starts[k+1]
		}
		t[i] = textAt(r.column, chunk, chunk.Offset+row-start)
	}
}

// textAt is the string at a position of a chunk, nil for null. What lies under a null is not read.
func textAt(c *Column, chunk *Chunk, at int) []byte {
	if chunk.Validity != nil && !bitAt(chunk.Validity, at) {
		return nil
	}
	switch c.Kind {
	case Binary:
		lo, hi := binary.LittleEndian.Uint32(chunk.Values[at*4:]), binary.LittleEndian.Uint32(chunk.Values[at*4+4:])
		return stringOf(chunk, int(lo), int(hi))
	case LargeBinary:
		lo, hi := binary.LittleEndian.Uint64(chunk.Values[at*8:]), binary.LittleEndian.Uint64(chunk.Values[at*8+8:])
		return stringOf(chunk, int(lo), int(hi))
	case BinaryView:
		return viewOf(chunk, chunk.Values[at*16:at*16+16])
	}
	return chunk.Values[at*c.Width : (at+1)*c.Width]
}

// noBytes is the empty string where nil would be null.
var noBytes = []byte{}

func stringOf(chunk *Chunk, lo, hi int) []byte {
	if lo == hi {
		return noBytes
	}
	return chunk.Data[0][lo:hi]
}

// inlineView is the longest string that a view holds itself.
const inlineView = 12

func viewOf(chunk *Chunk, view []byte) []byte {
	n := int(binary.LittleEndian.Uint32(view))
	if n <= inlineView {
		return view[4 : 4+n]
	}
	buffer, offset := binary.LittleEndian.Uint32(view[8:]), int(binary.LittleEndian.Uint32(view[12:]))
	return chunk.Data[buffer][offset : offset+n]
}

// window is the 8 bytes of a string from byte from on, as a number; bytes past its end are zero.
func window(s []byte, from int) uint64 {
	if len(s) >= from+8 {
		return binary.BigEndian.Uint64(s[from:])
	}
	if len(s) <= from {
		return 0
	}
	s = s[from:]
	return bigEndian(s) << (64 - 8*uint(len(s)))
}

// An open word holds 7 bytes of a string and, in its low byte, how many bytes are left from its first byte on, plus 8:
// 0 to 15 in a string that ends in this word or before, 16 in one that goes on. So rows that tie in a word that says
// "ends" tie in the whole key. A null is all zero, which says "ends" as well.
const (
	openBytes  = 7
	openEnds   = 15
	openGoesOn = 16
)

func openWord(s []byte, from int) uint64 {
	if s == nil {
		return 0
	}
	left := min(max(len(s)-from, -8), 8)
	return window(s, from)&^0xff | uint64(left+8)
}
