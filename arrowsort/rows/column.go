package rows

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/keyencode"
)

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
}

// wide reports whether the offsets of strings have 64 bits.
func (c *column) wide() bool { return c.kind == keyencode.LargeBinary }

// open allocates what has the same size for each row.
func (c *column) open(d *decoder) (err error) {
	if c.format == formatNone {
		c.nulls.Store(int64(d.n))
		return nil
	}
	if c.validity, err = d.allocate(d.ctx, (d.n+7)/8); err != nil {
		return err
	}
	size := d.n * c.width
	switch c.kind {
	case keyencode.Bool:
		size = (d.n + 7) / 8
	case keyencode.Binary, keyencode.LargeBinary:
		size = (d.n + 1) * c.width
	}
	if c.values, err = d.allocate(d.ctx, size); err != nil || c.format != formatText {
		return err
	}
	ends := c.values // the offsets after the first one
	switch c.kind {
	case keyencode.LargeBinary:
		c.wideEnds = arrow.Int64Traits.CastFromBytes(ends.Bytes())
		c.wideEnds[0], c.wideEnds = 0, c.wideEnds[1:]
		return nil
	case keyencode.BinaryView:
		if ends, err = d.allocate(d.ctx, (d.n+1)*arrow.Int32SizeBytes); err != nil {
			return err
		}
	}
	c.ends = arrow.Int32Traits.CastFromBytes(ends.Bytes())
	c.ends[0], c.ends = 0, c.ends[1:]
	return nil
}

// openTexts allocates the bytes of strings, once their ends are known by tile.
func (c *column) openTexts(d *decoder) (err error) {
	if c.format != formatText {
		return nil
	}
	total := int64(0)
	if c.wide() {
		c.starts, total = tileStarts(c.wideEnds)
	} else {
		c.starts, total = tileStarts(c.ends)
	}
	if err := c.checkTextBytes(total); err != nil {
		return err
	}
	c.data, err = d.allocate(d.ctx, int(total))
	return err
}

// take reads n rows from row lo of the result on from their positions, which move on. It returns a row that is
// malformed, counted from row lo, or -1.
func (c *column) take(t *tile, data []byte, lo, n int) (bad int) {
	if c.format == formatNone {
		return -1
	}
	valid := c.validity.Bytes()[lo/8 : (lo+n+7)/8]
	for i := range valid {
		valid[i] = 0xff
	}
	pos := t.pos[:n]
	nulls := 0
	switch c.format {
	case formatText:
		nulls, bad = c.takeTexts(data, pos, valid, lo), -1
	case formatBool:
		nulls, bad = c.takeValues(t, c.values.Bytes()[lo/8:], data, pos, valid)
	default:
		nulls, bad = c.takeValues(t, c.values.Bytes()[lo*c.width:], data, pos, valid)
	}
	c.nulls.Add(int64(nulls))
	return bad
}

// takeValues is take for values of fixed width.
func (c *column) takeValues(t *tile, values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	switch c.format {
	case formatBool:
		return c.takeBools(values, data, pos, valid)
	case formatWord:
		return c.takeWords(t, values, data, pos, valid)
	case formatFloat:
		return c.takeFloats(t, values, data, pos, valid)
	}
	return c.takeFixed(values, data, pos, valid)
}

// follow returns how many of the bytes of a row, which begin with those of the column, are its; ok is false when they
// are not what Encode makes.
func (c *column) follow(row []byte) (n int, ok bool) {
	pos := []int{0}
	switch {
	case c.format == formatNone:
		return 0, true
	case c.format == formatText:
		bad, _ := measureTexts(c, row, pos, 0, []int64{int64(len(row))}, make([]int64, 1))
		return pos[0], bad < 0
	case len(row) < c.bytes:
		return 0, false
	}
	_, bad := c.takeValues(new(tile), make([]byte, c.width+1), row, pos, []byte{0xff})
	return c.bytes, bad < 0
}

func clearBit(bits []byte, i int) { bits[i>>3] &^= 1 << (i & 7) }

// array is the data of the column, as a type that it is stored as.
func (c *column) array(typ arrow.DataType, n int) *array.Data {
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
