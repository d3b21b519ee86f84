package adapter

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// textOfBoth returns the raw column of arrays of text in two layouts: in the first one or, where that is of a fixed
// size, with offsets of 32 bits.
func (r *RawColumns) textOfBoth(
	a arrow.DataType, left []arraySlice, b arrow.DataType, right []arraySlice,
) (keyencode.Column, error) {
	from, _ := layoutOf(a)
	other, _ := layoutOf(b)
	to := from
	if to.kind == keyencode.FixedSizeBinary {
		to = layout{keyencode.Binary, 4}
	}
	c := keyencode.Column{Kind: to.kind, Width: to.width}
	for _, side := range []struct {
		layout
		parts []arraySlice
	}{{from, left}, {other, right}} {
		column, err := r.column(side.layout, side.parts)
		if err != nil {
			return c, err
		}
		for _, chunk := range column.Chunks {
			chunks, err := r.convertText(chunk, side.layout, to, math.MaxInt32)
			if err != nil {
				return c, err
			}
			c.Chunks = append(c.Chunks, chunks...)
		}
	}
	return c, malformed(keyencode.Validate(&c))
}

// convertText returns a chunk of text in another layout: several chunks where its bytes pass the reach of offsets of 32
// bits.
func (r *RawColumns) convertText(
	c keyencode.Chunk, from, to layout, reach int64,
) (chunks []keyencode.Chunk, err error) {
	if from == to {
		return []keyencode.Chunk{c}, nil
	}
	if from.kind == keyencode.BinaryView {
		if c, err = r.joinViews(c); err != nil {
			return nil, err
		}
		from = layout{keyencode.LargeBinary, 8}
	}
	t := texts{c, from}
	if to.kind == keyencode.BinaryView {
		c, err := r.viewsOf(t, reach/2+1)
		return []keyencode.Chunk{c}, err
	}
	for lo := 0; lo < c.Rows; {
		n := c.Rows - lo
		for to.kind == keyencode.Binary && t.start(lo+n)-t.start(lo) > reach {
			if n /= 2; n == 0 {
				return nil, tooLong(t.start(lo+1) - t.start(lo))
			}
		}
		part, err := r.offsetsOf(t, lo, n, to.width)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, part)
		lo += n
	}
	return chunks, nil
}

func tooLong(bytes int64) error {
	return fmt.Errorf("%w: a value has %d bytes", engine.ErrOffsets, bytes)
}

// texts are the rows of a chunk of text that lies in one buffer, one row after the other.
type texts struct {
	keyencode.Chunk
	layout
}

// start returns the position of the first byte of row i.
func (t *texts) start(i int) int64 {
	at := t.Offset + i
	switch t.kind {
	case keyencode.Binary:
		return int64(binary.LittleEndian.Uint32(t.Values[4*at:]))
	case keyencode.LargeBinary:
		return int64(binary.LittleEndian.Uint64(t.Values[8*at:]))
	}
	return int64(at * t.width)
}

// data returns the buffer.
func (t *texts) data() []byte {
	if t.kind == keyencode.FixedSizeBinary {
		return t.Values
	}
	return t.Data[0]
}

// rowsFrom returns n rows from row lo on, without values. The first row is at the offset of the result, below 8.
func (t *texts) rowsFrom(lo, n int) keyencode.Chunk {
	first := t.Offset + lo
	c := keyencode.Chunk{Rows: n, Offset: first % 8}
	if t.Validity != nil {
		c.Validity = t.Validity[first/8:]
	}
	return c
}

// offsetsOf returns n rows from row lo on with offsets of 4 or 8 bytes into the same data.
func (r *RawColumns) offsetsOf(t texts, lo, n, width int) (keyencode.Chunk, error) {
	c := t.rowsFrom(lo, n)
	var err error
	if c.Values, err = r.zeros(width * (c.Offset + n + 1)); err != nil {
		return c, err
	}
	base := t.start(lo)
	c.Data = [][]byte{t.data()[min(base, int64(len(t.data()))):]}
	return c, r.eachTile(n+1, func(from, end int) error {
		for i := from; i < end; i++ {
			to := c.Values[width*(c.Offset+i):]
			if o := t.start(lo+i) - base; width == 4 {
				binary.LittleEndian.PutUint32(to, uint32(o))
			} else {
				binary.LittleEndian.PutUint64(to, uint64(o))
			}
		}
		return nil
	})
}

// viewsOf returns the rows as views of the same data, with buffers at this distance: offsets of 32 bits reach each byte
// in one of them.
func (r *RawColumns) viewsOf(t texts, distance int64) (keyencode.Chunk, error) {
	c := t.rowsFrom(0, t.Rows)
	var err error
	if c.Values, err = r.zeros(16 * (c.Offset + t.Rows)); err != nil {
		return c, err
	}
	data := t.data()
	for at := int64(0); at < int64(len(data)); at += distance {
		c.Data = append(c.Data, data[at:])
	}
	return c, r.eachTile(t.Rows, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			start, bytes := t.start(i), t.start(i+1)-t.start(i)
			if bytes > math.MaxInt32 {
				return tooLong(bytes)
			}
			if bytes > 0 { // the start of no bytes may be anywhere
				view := c.Values[16*(c.Offset+i):][:16]
				buffers.PutView(view, data[start:start+bytes], int(start/distance), int(start%distance))
			}
		}
		return nil
	})
}

// joinViews returns a chunk of views with offsets of 64 bits into a copy of its bytes.
func (r *RawColumns) joinViews(c keyencode.Chunk) (joined keyencode.Chunk, err error) {
	views := texts{Chunk: c}
	t := texts{views.rowsFrom(0, c.Rows), layout{keyencode.LargeBinary, 8}}
	if t.Values, err = r.zeros(8 * (t.Offset + c.Rows + 1)); err != nil {
		return c, err
	}
	end := 0
	for i := range c.Rows {
		if i%tileRows == 0 && r.ctx.Err() != nil {
			return c, r.ctx.Err()
		}
		end += len(textOfView(&c, i))
		binary.LittleEndian.PutUint64(t.Values[8*(t.Offset+i+1):], uint64(end))
	}
	data, err := r.temporary(end)
	if err != nil {
		return c, err
	}
	t.Data = [][]byte{data}
	return t.Chunk, r.eachTile(c.Rows, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			copy(data[t.start(i):], textOfView(&c, i))
		}
		return nil
	})
}

// textOfView returns the bytes of row i of a chunk of views, none of a null.
func textOfView(c *keyencode.Chunk, i int) []byte {
	at := c.Offset + i
	if c.Validity != nil && !buffers.Bit(c.Validity, at) {
		return nil
	}
	return buffers.StringOfView(c.Values[16*at:][:16], c.Data)
}
