package rowcode

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// shortText is two words: strings of fewer bytes and their terminator are looked at once.
const shortText = 16

// measure moves the positions over skip bytes and text, which must not pass the ends of the rows, and writes where the
// decoded strings end when they lie one after the other. It returns a row that is malformed, or -1, and the bytes of
// the strings; the ends count only if they hold that number.
func (c *column) measure(data []byte, pos []int, skip int, rowEnds []int64, lo int) (bad, total int) {
	if c.wide() {
		return measureTexts(c, data, pos, skip, rowEnds, c.wideEnds[lo:lo+len(pos)])
	}
	return measureTexts(c, data, pos, skip, rowEnds, c.ends[lo:lo+len(pos)])
}

func measureTexts[O int32 | int64](
	c *column, data []byte, pos []int, skip int, rowEnds []int64, ends []O,
) (bad, total int) {
	flip := c.flip
	for i, p := range pos {
		p += skip
		rowEnd := int(rowEnds[i])
		switch {
		case p >= rowEnd:
			return i, 0
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
				return i, 0
			}
			pos[i] = next
			total += n
		case data[p] == c.null:
			pos[i] = p + 1
		default:
			return i, 0
		}
		ends[i] = O(total)
	}
	return -1, total
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

// findLow returns the first position from p on whose byte, inverted if flip is all ones, is at most escape; one past
// the end of the row if there is none.
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
func (c *column) takeTexts(data []byte, pos []int, valid []byte, lo int) (nulls int) {
	if c.wide() {
		return takeTexts(c, data, pos, valid, lo, c.wideEnds)
	}
	return takeTexts(c, data, pos, valid, lo, c.ends)
}

// takeTexts adds the start of the tile to the ends, too.
func takeTexts[O int32 | int64](c *column, data []byte, pos []int, valid []byte, lo int, ends []O) (nulls int) {
	texts, first := c.data.Bytes(), int(c.starts[lo/tileRows])
	ends = ends[lo : lo+len(pos)]
	start := first
	for i, p := range pos {
		end := first + int(ends[i])
		ends[i] = O(end)
		if data[p] != classValue {
			clearBit(valid, i)
			nulls++
			pos[i] = p + 1
		} else {
			pos[i] = takeText(texts[start:end], data, p+1, c.flip)
		}
		start = end
	}
	if c.kind == keyencode.BinaryView {
		c.putViews(texts, lo, len(pos))
	}
	return nulls
}

// putViews writes the views of n strings from row lo on, which lie in the first buffer.
func (c *column) putViews(texts []byte, lo, n int) {
	start := int(c.starts[lo/tileRows])
	for i := lo; i < lo+n; i++ {
		end := int(c.ends[i])
		view := c.values.Bytes()[i*16:][:16]
		clear(view)
		buffers.PutView(view, texts[start:end], 0, start)
		start = end
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
