package rowcode

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/keyencode"
)

func (c *column) takeBools(values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	clear(values[:len(valid)])
	flip := byte(c.flip) & 1
	for i, p := range pos {
		b := data[p]
		pos[i] = p + 1
		switch {
		case b == classValue || b == classValue+1:
			values[i>>3] |= (b - classValue ^ flip) << (i & 7)
		case b == c.null:
			clearBit(valid, i)
			nulls++
		default:
			return nulls, i
		}
	}
	return nulls, -1
}

// takeWords reads integers.
func (c *column) takeWords(t *tile, values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	classes := t.classes[:len(pos)]
	different := byte(0)
	for i, p := range pos {
		class := data[p]
		classes[i] = class
		different |= class ^ classValue
		pos[i] = p + 1
	}
	words := t.words[:len(pos)]
	c.loadWords(words, data, pos)
	keyencode.DecodeWords(values, words, c.kind, c.key)
	if different == 0 {
		return 0, -1
	}
	for i, class := range classes {
		if class == classValue {
			continue
		}
		if class != c.null || words[i] != 0 {
			return nulls, i
		}
		clear(values[i*c.width:][:c.width])
		clearBit(valid, i)
		nulls++
	}
	return nulls, -1
}

func (c *column) takeFloats(t *tile, values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	words := t.words[:len(pos)]
	c.loadWords(words, data, pos)
	if n := keyencode.DecodeWords(values, words, c.kind, c.key); n < len(words) {
		return 0, n
	}
	for i, w := range words {
		if w == c.nullWord {
			clearBit(valid, i)
			nulls++
		}
	}
	return nulls, -1
}

func (c *column) loadWords(words []uint64, data []byte, pos []int) {
	switch c.width {
	case 1:
		loadWords[uint8](words, data, pos)
	case 2:
		loadWords[uint16](words, data, pos)
	case 4:
		loadWords[uint32](words, data, pos)
	case 8:
		loadWords[uint64](words, data, pos)
	}
}

// loadWords is the inverse of putWords.
func loadWords[U uint8 | uint16 | uint32 | uint64](words []uint64, data []byte, pos []int) {
	size := int(unsafe.Sizeof(U(0)))
	words = words[:len(pos)]
	for i, p := range pos {
		b := data[p : p+size : p+size]
		switch size {
		case 1:
			words[i] = uint64(b[0])
		case 2:
			words[i] = uint64(binary.BigEndian.Uint16(b))
		case 4:
			words[i] = uint64(binary.BigEndian.Uint32(b))
		case 8:
			words[i] = binary.BigEndian.Uint64(b)
		}
		pos[i] = p + size
	}
}

// takeFixed reads decimals and fixed-size binary.
func (c *column) takeFixed(values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	for i, p := range pos {
		row := data[p : p+c.bytes]
		value := values[i*c.width:][:c.width]
		pos[i] = p + c.bytes
		switch {
		case row[0] != classValue:
			if !bytes.Equal(row, c.nullCode) {
				return nulls, i
			}
			clear(value)
			clearBit(valid, i)
			nulls++
		case c.format == formatBytes:
			copyFlipped(value, row[1:], c.flip)
		default:
			takeDecimal(value, row[1:], c.flip)
		}
	}
	return nulls, -1
}

// takeDecimal is the inverse of putDecimals.
func takeDecimal(value, row []byte, flip uint64) {
	sign := uint64(1) << 63
	for n := len(row); n > 0; n -= 8 {
		binary.LittleEndian.PutUint64(value[n-8:], binary.BigEndian.Uint64(row[len(row)-n:])^sign^flip)
		sign = 0
	}
}

// A column is a leaf that is decoded.
type column struct {
	*leaf
	validity *memory.Buffer
	values   *memory.Buffer // values, bits, offsets or views
	data     *memory.Buffer // the bytes of strings
	ends     []int32        // where the strings end: from the start of their tile, then of all
	wideEnds []int64        // the same where offsets have 64 bits
	starts   []int64        // where the strings of each tile start
	nulls    atomic.Int64

	places   []int64           // where lists and unions begin in the rows
	sizes    *memory.Buffer    // of list views, and the offsets of dense unions
	children []arrow.ArrayData // elements
}

// wide reports whether the offsets of strings have 64 bits.
func (c *column) wide() bool { return c.kind == keyencode.LargeBinary }

func clearBit(bits []byte, i int) { bits[i>>3] &^= 1 << (i & 7) }

// array returns the data of the column, as a type that it is stored as.
func (c *column) array(typ arrow.DataType, n int) *array.Data {
	if c.nested() {
		return c.nestedArray(typ, n)
	}
	buffers := []*memory.Buffer{nil}
	nulls := int(c.nulls.Load())
	if c.validity != nil && nulls > 0 {
		buffers[0] = c.validity
	}
	if c.format != formatNone {
		buffers = append(buffers, c.values)
	}
	if c.data != nil {
		buffers = append(buffers, c.data)
	}
	return array.NewData(typ, n, buffers, nil, nulls, 0)
}
