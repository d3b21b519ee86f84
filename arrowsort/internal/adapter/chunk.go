package adapter

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/keyencode"
)

// column is the raw column of views of one layout. An array whose offsets or views lead out of its buffers is
// an error here, so that reading the column needs no checks.
func (w *JobBuilder) column(l layout, views []view) (keyencode.Column, error) {
	c := keyencode.Column{Kind: l.kind, Width: l.width}
	if len(views) == 1 && !w.first.full {
		c.Chunks, w.first.full = w.first.chunk[:], true
	} else {
		c.Chunks = make([]keyencode.Chunk, len(views))
	}
	for i, v := range views {
		var err error
		if c.Chunks[i], err = w.chunk(l, v); err != nil {
			return c, err
		}
	}
	return c, malformed(keyencode.Validate(&c))
}

// malformed lets an error of validation match arrow.ErrInvalid.
func malformed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", arrow.ErrInvalid, err)
}

// chunk is a view as raw buffers. Validity and values share one offset, which is made small by starting both at a row
// that is a multiple of 8.
func (w *JobBuilder) chunk(l layout, v view) (keyencode.Chunk, error) {
	offset := v.first % 8
	start, end := v.first-offset, v.first+v.rows
	c := keyencode.Chunk{Rows: v.rows, Offset: offset}
	var err error
	if c.Validity, err = w.validity(v, offset); err != nil {
		return c, err
	}
	switch l.kind {
	case keyencode.Null:
		return c, nil
	case keyencode.Bool:
		c.Values, err = w.span(v, start/8, (end+7)/8)
	case keyencode.Binary, keyencode.LargeBinary:
		c.Data = [][]byte{v.buffer(2)}
		c.Values, err = w.span(v, start*l.width, (end+1)*l.width)
	case keyencode.BinaryView:
		for i := 2; i < len(v.data.Buffers()); i++ {
			c.Data = append(c.Data, v.buffer(i))
		}
		c.Values, err = w.span(v, start*l.width, end*l.width)
	default:
		c.Values, err = w.span(v, start*l.width, end*l.width)
	}
	return c, err
}

// span is the value buffer from byte lo, at least up to byte hi. Arrays without any value may lack the buffer: it reads
// as zeros.
func (w *JobBuilder) span(v view, lo, hi int) ([]byte, error) {
	b := v.buffer(1)
	switch {
	case len(b) >= hi:
		return b[lo:], nil
	case len(b) == 0:
		return w.zeros(hi - lo)
	}
	return nil, fmt.Errorf("%w: an array of type %s has %d bytes of values where its rows take %d",
		arrow.ErrInvalid, v.data.DataType(), len(b), hi)
}
