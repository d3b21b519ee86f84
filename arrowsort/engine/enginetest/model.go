package enginetest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/keyencode"
)

// A class of a key's rows: values first, then NaNs, then nulls, or the other way round. The order below is NullsAtEnd.
type class uint8

const (
	value class = iota
	nan
	null
)

// cell reads one row of a chunk: its bytes, and whether it is valid. A dictionary gives the index.
func cell(c *keyencode.Column, chunk *keyencode.Chunk, row int) (v []byte, valid bool) {
	at := chunk.Offset + row
	if chunk.Validity != nil && chunk.Validity[at/8]>>(at%8)&1 == 0 {
		return nil, false
	}
	switch c.Kind {
	case keyencode.Null:
		return nil, true
	case keyencode.Bool:
		return []byte{chunk.Values[at/8] >> (at % 8) & 1}, true
	case keyencode.Binary:
		lo, hi := binary.LittleEndian.Uint32(chunk.Values[at*4:]), binary.LittleEndian.Uint32(chunk.Values[at*4+4:])
		return chunk.Data[0][lo:hi], true
	case keyencode.LargeBinary:
		lo, hi := binary.LittleEndian.Uint64(chunk.Values[at*8:]), binary.LittleEndian.Uint64(chunk.Values[at*8+8:])
		return chunk.Data[0][lo:hi], true
	case keyencode.BinaryView:
		return viewed(chunk.Values[at*16:at*16+16], chunk.Data), true
	}
	size := c.ValueBytes()
	return chunk.Values[at*size : at*size+size], true
}

func viewed(view []byte, buffers [][]byte) []byte {
	n := binary.LittleEndian.Uint32(view)
	if n <= 12 {
		return view[4 : 4+n]
	}
	buffer, at := binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
	return buffers[buffer][at : at+n]
}

// flatten reads all rows of a column; the value of a null is nil.
func flatten(c *keyencode.Column) (values [][]byte, valid []bool) {
	n := c.Rows()
	values, valid = make([][]byte, 0, n), make([]bool, 0, n)
	for i := range c.Chunks {
		for row := range c.Chunks[i].Rows {
			v, ok := cell(c, &c.Chunks[i], row)
			values, valid = append(values, v), append(valid, ok)
		}
	}
	return values, valid
}

// A model compares rows of a job by its keys. It is the definition that engines are held to.
type model struct{ keys []modelKey }

type modelKey struct {
	key     keyencode.Key
	kind    keyencode.Kind
	values  [][]byte
	classes []class
}

func newModel(columns []keyencode.Column, keys []keyencode.Key) *model {
	m := &model{}
	for _, key := range keys {
		c := columns[key.Column]
		k := modelKey{key: key, kind: c.Kind}
		for i := range c.Chunks {
			for row := range c.Chunks[i].Rows {
				v, valid := cell(&c, &c.Chunks[i], row)
				if ranks := c.Chunks[i].Ranks; valid && ranks != nil {
					rank := ranks[binary.LittleEndian.Uint64(append(bytes.Clone(v), make([]byte, 8)...))]
					v, valid = little(uint64(rank), 4), rank > 0
				}
				k.values, k.classes = append(k.values, v), append(k.classes, classOf(c.Kind, v, valid))
			}
		}
		m.keys = append(m.keys, k)
	}
	return m
}

func classOf(kind keyencode.Kind, v []byte, valid bool) class {
	switch {
	case !valid || kind == keyencode.Null:
		return null
	case isFloat(kind) && math.IsNaN(float(kind, v)):
		return nan
	}
	return value
}

// compare orders two rows by the keys; 0 is a tie.
func (m *model) compare(i, j int) int {
	for _, k := range m.keys {
		c := cmp.Compare(k.classes[i], k.classes[j])
		if k.key.Nulls == keyencode.NullsAtStart {
			c = -c
		}
		if c == 0 && k.classes[i] == value {
			c = compareValues(k.kind, k.values[i], k.values[j])
			if k.key.Order == keyencode.Descending {
				c = -c
			}
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// show prints a row's keys.
func (m *model) show(i int) string {
	s := ""
	for _, k := range m.keys {
		switch {
		case k.classes[i] == null:
			s += " null"
		case k.classes[i] == nan:
			s += fmt.Sprintf(" NaN(%x)", k.values[i])
		case isFloat(k.kind):
			s += fmt.Sprintf(" %v(%x)", float(k.kind, k.values[i]), k.values[i])
		default:
			s += fmt.Sprintf(" %x", k.values[i])
		}
	}
	return s
}

func isFloat(kind keyencode.Kind) bool {
	return kind == keyencode.Float16 || kind == keyencode.Float32 || kind == keyencode.Float64
}

func float(kind keyencode.Kind, v []byte) float64 {
	switch kind {
	case keyencode.Float16:
		return half(binary.LittleEndian.Uint16(v))
	case keyencode.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v))
}

func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}

func compareValues(kind keyencode.Kind, a, b []byte) int {
	le := binary.LittleEndian
	switch kind {
	case keyencode.Int8:
		return cmp.Compare(int8(a[0]), int8(b[0]))
	case keyencode.Int16:
		return cmp.Compare(int16(le.Uint16(a)), int16(le.Uint16(b)))
	case keyencode.Int32:
		return cmp.Compare(int32(le.Uint32(a)), int32(le.Uint32(b)))
	case keyencode.Int64:
		return cmp.Compare(int64(le.Uint64(a)), int64(le.Uint64(b)))
	case keyencode.Bool, keyencode.Uint8:
		return cmp.Compare(a[0], b[0])
	case keyencode.Uint16:
		return cmp.Compare(le.Uint16(a), le.Uint16(b))
	case keyencode.Uint32,
		keyencode.Dictionary8,
		keyencode.Dictionary16,
		keyencode.Dictionary32,
		keyencode.Dictionary64:
		return cmp.Compare(le.Uint32(a), le.Uint32(b))
	case keyencode.Uint64:
		return cmp.Compare(le.Uint64(a), le.Uint64(b))
	case keyencode.Float16, keyencode.Float32, keyencode.Float64:
		return cmp.Compare(float(kind, a), float(kind, b)) // no NaN here; -0 and +0 are equal to cmp
	case keyencode.Decimal128, keyencode.Decimal256:
		return compareLimbs(a, b)
	}
	return bytes.Compare(a, b)
}

// compareLimbs compares little-endian two's complement numbers of several 8-byte limbs.
func compareLimbs(a, b []byte) int {
	top := len(a) - 8
	c := cmp.Compare(int64(binary.LittleEndian.Uint64(a[top:])), int64(binary.LittleEndian.Uint64(b[top:])))
	for at := top - 8; c == 0 && at >= 0; at -= 8 {
		c = cmp.Compare(binary.LittleEndian.Uint64(a[at:]), binary.LittleEndian.Uint64(b[at:]))
	}
	return c
}
