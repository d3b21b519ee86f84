package keyencode

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// stringBlock are the strings of a block; nil stands for null, and only for it where there are nulls.
type stringBlock [gatherRows][]byte

// HasStrings reports whether codes take the values as strings: those of Binary, LargeBinary, BinaryView and of
// FixedSizeBinary wider than a word.
func (c *Column) HasStrings() bool { return c.encoding() == encodingBytes }

// Strings finds the strings of rows from row at of a chunk on. They are borrowed; nil stands for null, and only for it
// where there are nulls.
func (c *Column) Strings(dst [][]byte, chunk *Chunk, at int) {
	at += chunk.Offset
	n := len(dst)
	switch c.Kind {
	case Binary:
		loadOffsets(dst, buffers.Values[uint32](chunk.Values, at, n+1), chunk)
	case LargeBinary:
		loadOffsets(dst, buffers.Values[uint64](chunk.Values, at, n+1), chunk)
	case BinaryView:
		loadViews(dst, chunk, at)
		return // views under a null are not read
	default:
		for i := range n {
			dst[i] = fixedAt(c, chunk, at+i)
		}
	}
	if chunk.Validity == nil {
		return
	}
	for i := 0; i < n; i += 64 {
		zeros := ^buffers.Bits(chunk.Validity, at+i) & buffers.LowBits(min(n-i, 64))
		for ; zeros != 0; zeros &= zeros - 1 {
			dst[i+bits.TrailingZeros64(zeros)] = nil
		}
	}
}

func loadOffsets[U uint32 | uint64](t [][]byte, offsets []U, chunk *Chunk) {
	data := dataOf(chunk)
	offsets = offsets[:len(t)+1]
	lo := int(offsets[0])
	for i := range t {
		hi := int(offsets[i+1])
		t[i] = noBytes
		if lo < hi {
			t[i] = data[lo:hi]
		}
		lo = hi
	}
}

func loadViews(t [][]byte, chunk *Chunk, at int) {
	for i := range t {
		view := chunk.Values[(at+i)*16 : (at+i+1)*16]
		switch {
		case chunk.Validity != nil && !buffers.Bit(chunk.Validity, at+i):
			t[i] = nil
		case view[0] <= buffers.InlineView && view[1]|view[2]|view[3] == 0:
			t[i] = view[4 : 4+view[0]]
		default:
			t[i] = buffers.StringOfView(view, chunk.Data)
		}
	}
}

// dataOf returns the buffer that offsets point into.
func dataOf(chunk *Chunk) []byte {
	if len(chunk.Data) == 0 {
		return nil
	}
	return chunk.Data[0]
}

// StringsAt finds the strings of rows from anywhere in the column, as Strings does.
func (c *Column) StringsAt(dst [][]byte, rows []uint32) {
	r := newReader(c)
	r.stringsAt(dst, rows)
}

func (r *reader) stringsAt(dst [][]byte, rows []uint32) {
	c := newCursor(r)
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		dst[i] = stringAt(r.column, c.chunk, c.chunk.Offset+int(row)-c.start)
	}
}

// stringAt returns the string at a position of a chunk, nil for null. What lies under a null is not read.
func stringAt(c *Column, chunk *Chunk, at int) []byte {
	if chunk.Validity != nil && !buffers.Bit(chunk.Validity, at) {
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
		return buffers.StringOfView(chunk.Values[at*16:at*16+16], chunk.Data)
	}
	return fixedAt(c, chunk, at)
}

// fixedAt returns the bytes at a position of a chunk of FixedSizeBinary, without capacity for others: while one bin of
// rows that move in place is sorted, the bytes after it are written by the worker of the next.
func fixedAt(c *Column, chunk *Chunk, at int) []byte {
	end := (at + 1) * c.Width
	return chunk.Values[at*c.Width : end : end]
}

// noBytes is the empty string where nil would be null.
var noBytes = []byte{}

func stringOf(chunk *Chunk, lo, hi int) []byte {
	if lo == hi {
		return noBytes
	}
	return chunk.Data[0][lo:hi]
}

// encodeLeadingBytes writes the codes of windows straight from offsets, which are valid under nulls too.
func encodeLeadingBytes[U uint32 | uint64](dst []uint64, offsets []U, data []byte, first int, l *affine) {
	base, shift, mul, bias := l.base, l.shift&63, l.mul, l.bias
	offsets = offsets[:len(dst)+1]
	lo := int(offsets[0])
	for i := range dst {
		hi := int(offsets[i+1])
		w, n, from := uint64(0), hi-lo-first, lo+first
		if n > 0 && from+8 <= len(data) {
			w = binary.BigEndian.Uint64(data[from:]) &^ (^uint64(0) >> (8 * uint(min(n, 8))))
		} else if n > 0 {
			w = buffers.Leading(data[from:hi])
		}
		dst[i] = bias + (w-base)>>shift*mul
		lo = hi
	}
}

// A string word holds 7 bytes of a string and, in its low byte, how many bytes are left from its first byte on, plus 8:
// 0 to 15 in a string that ends in this word or before, 16 in one that goes on. So rows that tie in a word that says
// "ends" tie in the whole key. A null is all zero, which says "ends" as well.
const (
	stringWordBytes = 7
	endsHere        = 15
	goesOn          = 16
)

func stringWord(s []byte, from int) uint64 {
	if s == nil {
		return 0
	}
	left := min(max(len(s)-from, -8), 8)
	return buffers.BytesFrom(s, from)&^0xff | uint64(left+8)
}

// commonWords is the number of leading words of 8 bytes whose bytes are compared.
const commonWords = 8

// differingBytes has a bit for each of the leading bytes that two strings differ in.
func differingBytes(a, b string) (mask uint64) {
	for i := range min(len(a), len(b), 8*commonWords) {
		if a[i] != b[i] {
			mask |= 1 << i
		}
	}
	return mask
}
