package enginetest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/arrowsort/arrowsort/internal/referenceorder"
	"github.com/arrowsort/arrowsort/keyencode"
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
type model []modelKey

type modelKey struct {
	referenceorder.Key
	cells []referenceorder.Cell
}

func newModel(columns []keyencode.Column, keys []keyencode.Key) model {
	var m model
	for _, key := range keys {
		c := &columns[key.Column]
		k := modelKey{Key: referenceorder.Key{
			Kind: compared(c.Kind), Descending: key.Order == keyencode.Descending,
			NullsFirst: key.Nulls == keyencode.NullsAtStart,
		}}
		for i := range c.Chunks {
			for row := range c.Chunks[i].Rows {
				v, valid := cell(c, &c.Chunks[i], row)
				if ranks := c.Chunks[i].Ranks; valid && ranks != nil {
					rank := ranks[binary.LittleEndian.Uint64(append(bytes.Clone(v), make([]byte, 8)...))]
					v, valid = little(uint64(rank), 4), rank > 0
				}
				k.cells = append(k.cells, referenceorder.Cell{Null: !valid || c.Kind == keyencode.Null, Value: v})
			}
		}
		m = append(m, k)
	}
	return m
}

// compared is how the model compares values of a kind.
func compared(kind keyencode.Kind) referenceorder.Kind {
	switch kind {
	case keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64, keyencode.Decimal128, keyencode.Decimal256:
		return referenceorder.Signed
	case keyencode.Float16, keyencode.Float32, keyencode.Float64:
		return referenceorder.Float
	case keyencode.FixedSizeBinary, keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
		return referenceorder.Bytes
	}
	return referenceorder.Unsigned
}

// compare orders two rows by the keys; 0 is a tie.
func (m model) compare(i, j int) int {
	for _, k := range m {
		if c := k.Compare(k.cells[i], k.cells[j]); c != 0 {
			return c
		}
	}
	return 0
}

// show prints a row's keys.
func (m model) show(i int) (s string) {
	for _, k := range m {
		if k.cells[i].Null {
			s += " null"
		} else {
			s += fmt.Sprintf(" %x", k.cells[i].Value)
		}
	}
	return s
}
