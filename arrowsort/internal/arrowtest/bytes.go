package arrowtest

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// alphabet has letters of both cases, digits, and a mark that combines with the letter before it.
var alphabet = []string{"a", "A", "b", "z", "0", "7", " ", "é", "\u0301", "漢", "\U0001F600"}

// text returns a random string of valid UTF-8: empty, around the 12 bytes that a view holds itself, or longer.
func (g *generator) text() []byte {
	length := g.rng.IntN(8)
	switch g.rng.IntN(4) {
	case 0:
		length = 11 + g.rng.IntN(4)
	case 1:
		length = g.rng.IntN(40)
	}
	s := make([]byte, 0, length)
	for len(s) < length {
		c := alphabet[g.rng.IntN(len(alphabet))]
		if len(s)+len(c) > length {
			c = "x"
		}
		s = append(s, c...)
	}
	return s
}

// strings has offsets of 4 or 8 bytes, the first of them not always 0.
func (g *generator) strings(typ arrow.DataType, n, offsetBytes int) *array.Data {
	text := g.text()
	offsets := g.buffer((n + 1) * offsetBytes)
	for i := range n + 1 {
		fillSigned(offsets.Bytes()[i*offsetBytes:(i+1)*offsetBytes], int64(len(text)))
		if i < n {
			text = append(text, g.text()...)
		}
	}
	bytes := g.buffer(len(text))
	copy(bytes.Bytes(), text)
	return g.finish(typ, n, offsets, bytes)
}

func (g *generator) views(typ arrow.DataType, n int) *array.Data {
	views := g.buffer(16 * n)
	var blocks [2][]byte
	for i := range n {
		v, s := views.Bytes()[16*i:][:16], g.text()
		clear(v)
		binary.LittleEndian.PutUint32(v, uint32(len(s)))
		copy(v[4:], s)
		if len(s) > 12 {
			block := g.rng.IntN(2)
			binary.LittleEndian.PutUint32(v[8:], uint32(block))
			binary.LittleEndian.PutUint32(v[12:], uint32(len(blocks[block])))
			blocks[block] = append(blocks[block], s...)
		}
	}
	buffers := []*memory.Buffer{views, g.buffer(len(blocks[0])), g.buffer(len(blocks[1]))}
	copy(buffers[1].Bytes(), blocks[0])
	copy(buffers[2].Bytes(), blocks[1])
	return g.finish(typ, n, buffers...)
}

// dictionary draws from at most 100 entries, which may repeat. Where indices have one byte it draws from at most 20, so
// that the merged dictionary of six chunks still fits them. Rows are null by their validity, by null entries, or by
// both. The dictionary may be empty where no row refers to it.
func (g *generator) dictionary(typ *arrow.DictionaryType, n int) *array.Data {
	rows, values := *g, *g
	switch g.rng.IntN(4) {
	case 0:
		rows.nulls = 0
	case 1:
		values.nulls = 0
	}
	width, most := typ.IndexType.(arrow.FixedWidthDataType).Bytes(), 100
	if width == 1 {
		most = 20
	}
	entries := g.rng.IntN([]int{1, 2, 20, most}[g.rng.IntN(4)])
	if n > 0 && rows.nulls < 1 {
		entries++
	}
	dict := values.data(typ.ValueType, entries)
	defer dict.Release()
	indices := g.buffer(n * width)
	for i := range n {
		fillSigned(indices.Bytes()[i*width:(i+1)*width], int64(g.rng.IntN(max(entries, 1))))
	}
	data := rows.finish(typ, n, indices)
	data.SetDictionary(dict)
	return data
}

// MalformedStrings makes an array of two strings whose offsets, 0, 100, 2, leave its two bytes. The caller releases it.
func MalformedStrings() arrow.Array {
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 100, 2}))
	data := array.NewData(arrow.BinaryTypes.String, 2,
		[]*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
