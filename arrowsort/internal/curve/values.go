package curve

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// maxText is the number of bytes of text that are kept of a value: less than that would not tell addresses of web pages
// apart, and all of a long one would make the sample, and the metadata of a file, large. What is cut off does not
// matter to the order of the borders of cells: a value sorts where it does.
const maxText = 64

// values are the values of a leaf in some rows. They lie in Go's memory: those of a sample are few.
type values struct {
	typ   arrow.DataType // of their array
	kind  keyencode.Kind
	width int // bytes of a value; of text 0
	valid []bool
	fixed []byte   // width bytes for each row
	texts [][]byte // of rows of text, cut to maxText
}

// BorderType returns the type of the borders of a leaf: its plain type, but binary in place of long values of a fixed
// size, since values are cut.
func BorderType(typ arrow.DataType) arrow.DataType {
	typ = adapter.Plain(typ)
	if t, ok := arraydata.Storage(typ).(*arrow.FixedSizeBinaryType); ok && t.ByteWidth > maxText {
		return arrow.BinaryTypes.Binary
	}
	return typ
}

// zeros are the bytes of a null.
var zeros [maxText]byte

func newValues(typ arrow.DataType) values {
	v := values{typ: BorderType(typ)}
	v.kind, v.width = adapter.Layout(v.typ)
	switch v.kind {
	case keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
		v.width = 0
	case keyencode.Bool:
		v.width = 1
	}
	return v
}

// append appends the rows of a column of the plain type of the leaf.
func (v *values) append(c *keyencode.Column) {
	for i := range c.Chunks {
		chunk := &c.Chunks[i]
		var texts [][]byte
		if v.width == 0 && v.kind != keyencode.Null && c.Kind != keyencode.FixedSizeBinary {
			texts = make([][]byte, chunk.Rows)
			c.Strings(texts, chunk, 0)
		}
		for row := range chunk.Rows {
			at := chunk.Offset + row
			valid := c.Kind != keyencode.Null && (chunk.Validity == nil || buffers.Bit(chunk.Validity, at))
			v.valid = append(v.valid, valid)
			switch {
			case !valid:
				v.appendBytes(zeros[:v.width])
			case texts != nil:
				v.appendBytes(texts[row])
			case v.kind == keyencode.Bool:
				bit := byte(0)
				if buffers.Bit(chunk.Values, at) {
					bit = 1
				}
				v.appendBytes([]byte{bit})
			default:
				width := c.ValueBytes()
				v.appendBytes(chunk.Values[at*width : (at+1)*width])
			}
		}
	}
}

// appendBytes appends a copy of the bytes of a value.
func (v *values) appendBytes(b []byte) {
	switch {
	case v.kind == keyencode.Null:
	case v.width > 0:
		v.fixed = append(v.fixed, b...)
	default:
		v.texts = append(v.texts, append([]byte{}, b[:min(len(b), maxText)]...))
	}
}

// keep keeps the rows with some numbers, which rise.
func (v *values) keep(rows []int) {
	for to, from := range rows {
		v.valid[to] = v.valid[from]
		if v.texts != nil {
			v.texts[to] = v.texts[from]
		}
		copy(v.fixed[to*v.width:(to+1)*v.width], v.fixed[from*v.width:])
	}
	v.valid = v.valid[:len(rows)]
	v.fixed = v.fixed[:len(rows)*v.width]
	if v.texts != nil {
		clear(v.texts[len(rows):])
		v.texts = v.texts[:len(rows)]
	}
}

// array returns the values as an array, which needs no release.
func (v *values) array() arrow.Array {
	n, nulls := len(v.valid), 0
	bits := make([]byte, (n+7)/8)
	for i, valid := range v.valid {
		if valid {
			bits[i/8] |= 1 << (i % 8)
		} else {
			nulls++
		}
	}
	parts := []*memory.Buffer{memory.NewBufferBytes(bits)}
	for _, b := range v.buffers() {
		parts = append(parts, memory.NewBufferBytes(b))
	}
	if v.kind == keyencode.Null {
		parts = []*memory.Buffer{nil}
	}
	return array.MakeFromData(array.NewData(v.typ, n, parts, nil, nulls, 0))
}

// buffers returns the buffers of the array after its validity.
func (v *values) buffers() [][]byte {
	switch v.kind {
	case keyencode.Null:
		return nil
	case keyencode.Bool:
		bits := make([]byte, (len(v.fixed)+7)/8)
		for i, b := range v.fixed {
			bits[i/8] |= b << (i % 8)
		}
		return [][]byte{bits}
	case keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
		return v.textBuffers()
	}
	return [][]byte{v.fixed}
}

func (v *values) textBuffers() [][]byte {
	const inline = 12 // bytes of a value that a view holds itself
	var data, places []byte
	end := func() {
		if v.kind == keyencode.Binary {
			places = binary.LittleEndian.AppendUint32(places, uint32(len(data)))
		} else {
			places = binary.LittleEndian.AppendUint64(places, uint64(len(data)))
		}
	}
	if v.kind != keyencode.BinaryView {
		end()
	}
	for _, text := range v.texts {
		if v.kind != keyencode.BinaryView {
			data = append(data, text...)
			end()
			continue
		}
		places = binary.LittleEndian.AppendUint32(places, uint32(len(text)))
		if len(text) <= inline {
			places = append(append(places, text...), make([]byte, inline-len(text))...)
			continue
		}
		places = append(places, text[:4]...)
		places = binary.LittleEndian.AppendUint32(places, 0) // the number of the buffer
		places = binary.LittleEndian.AppendUint32(places, uint32(len(data)))
		data = append(data, text...)
	}
	return [][]byte{places, data}
}
