package rows

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/keyencode"
)

// shortText is two words: strings of fewer bytes and their terminator are looked at once.
const shortText = 16

// measure moves the positions over skip bytes and text, which must not pass the ends of the rows, and writes where the
// decoded strings end when they lie one after the other. It returns a row that is malformed, or -1.
func (c *column) measure(data []byte, pos []int, skip int, rowEnds, ends []int64) (bad int) {
	total, flip := 0, c.flip
	for i, p := range pos {
		p += skip
		rowEnd := int(rowEnds[i])
		switch {
		case p >= rowEnd:
			return i
		case data[p] == classValue:
			next, n := p+1, shortText
			if next+shortText <= len(data) { // scan without the call
				if low := firstLow(binary.LittleEndian.Uint64(data[next:]) ^ flip); low != 0 {
					n = bits.TrailingZeros64(low) / 8
				} else if low := firstLow(binary.LittleEndian.Uint64(data[next+8:]) ^ flip); low != 0 {
					n = 8 + bits.TrailingZeros64(low)/8
				}
			}
			if n < shortText && next+n < rowEnd && data[next+n]^byte(flip) == terminator {
				next += n + 1
			} else if next, n = scan(data[:rowEnd:len(data)], next, flip); next < 0 {
				return i
			}
			pos[i] = next
			total += n
		case data[p] == c.null:
			pos[i] = p + 1
		default:
			return i
		}
		ends[i] = int64(total)
	}
	return -1
}

// scan reads escaped bytes from position p on: it returns the position after the terminator, and the number of bytes
// that they stand for. The position is -1 when there is no terminator in the row or another byte follows an escape. The
// row ends where the data does; its capacity may be read.
func scan(row []byte, p int, flip uint64) (next, n int) {
	start := p
	for {
		p = findLow(row, p, flip)
		if p >= len(row) {
			return -1, 0
		}
		if row[p]^byte(flip) == terminator {
			return p + 1, n + p - start
		}
		if p+1 >= len(row) || row[p+1]^byte(flip)-1 > escape {
			return -1, 0
		}
		n--
		p += 2
	}
}

// findLow is the first position from p on whose byte, inverted if flip is all ones, is at most escape; one past the end
// of the row if there is none.
func findLow(row []byte, p int, flip uint64) int {
	all := row[:cap(row)]
	for ; p+8 <= len(all) && p < len(row); p += 8 {
		if low := firstLow(binary.LittleEndian.Uint64(all[p:]) ^ flip); low != 0 {
			return p + bits.TrailingZeros64(low)/8
		}
	}
	for ; p < len(row); p++ {
		if row[p]^byte(flip) <= escape {
			return p
		}
	}
	return p
}

// takeTexts reads strings that are measured.
func (c *column) takeTexts(data []byte, pos []int, valid []byte, lo int) (nulls, bad int) {
	texts, start := c.data.Bytes(), 0
	if lo > 0 {
		start = int(c.ends[lo-1])
	}
	c.putOffsets(lo, len(pos))
	for i, p := range pos {
		end := int(c.ends[lo+i])
		if data[p] != classValue {
			clearBit(valid, i)
			nulls++
			pos[i] = p + 1
		} else {
			pos[i] = takeText(texts[start:end], data, p+1, c.flip)
		}
		if c.kind == keyencode.BinaryView {
			putView(c.values.Bytes()[(lo+i)*16:][:16], texts[start:end], start)
		}
		start = end
	}
	return nulls, -1
}

// putOffsets writes the offsets of n rows from row lo on.
func (c *column) putOffsets(lo, n int) {
	ends := c.ends[lo : lo+n]
	switch c.kind {
	case keyencode.Binary:
		offsets := arrow.Int32Traits.CastFromBytes(c.values.Bytes())[lo+1:]
		offsets = offsets[:len(ends)]
		for i, end := range ends {
			offsets[i] = int32(end)
		}
	case keyencode.LargeBinary:
		copy(arrow.Int64Traits.CastFromBytes(c.values.Bytes())[lo+1:], ends)
	}
}

// takeText reads a string of len(text) bytes from position p on and returns the position after it. Without escapes the
// terminator is where they would end: no other byte of text is one.
func takeText(text, data []byte, p int, flip uint64) int {
	if n := len(text); data[p+n]^byte(flip) == terminator {
		if 8 <= n && n <= 16 {
			first, last := binary.LittleEndian.Uint64(data[p:]), binary.LittleEndian.Uint64(data[p+n-8:])
			binary.LittleEndian.PutUint64(text, first^flip)
			binary.LittleEndian.PutUint64(text[n-8:], last^flip)
			return p + n + 1
		}
		copyFlipped(text, data[p:p+n], flip)
		return p + n + 1
	}
	for i := range text {
		x := data[p] ^ byte(flip)
		if x == escape {
			p++
			x = data[p] ^ byte(flip) - 1
		}
		text[i] = x
		p++
	}
	return p + 1
}

// putView writes the view of a string that lies at a place of the first buffer.
func putView(view, text []byte, at int) {
	clear(view)
	binary.LittleEndian.PutUint32(view, uint32(len(text)))
	copy(view[4:], text)
	if len(text) > 12 {
		binary.LittleEndian.PutUint32(view[8:], 0)
		binary.LittleEndian.PutUint32(view[12:], uint32(at))
	}
}
