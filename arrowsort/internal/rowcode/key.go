package rowcode

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An Operand is a leaf of an input.
type Operand struct {
	Input *adapter.Input
	adapter.Leaf
}

// AddKey adds a key of lists or unions to a job, as binary values: what the rows of the format have for a value,
// without class and terminator, which validity and length stand for, and without the markers of elements that have
// bytes. The rows are those of all operands, whose types have the same values; the first one names the key. Temporary
// memory is 8 bytes per row and those bytes.
func AddKey(w *adapter.JobBuilder, order keyencode.Order, nulls keyencode.NullPlacement, operands ...Operand) error {
	return w.AddKeyColumn(operands[0].Leaf, order, nulls, func(r *adapter.RawColumns) (keyencode.Column, error) {
		c := keyencode.Column{Kind: keyencode.LargeBinary, Width: 8}
		for _, o := range operands {
			chunks, err := encodeKey(r, o, order, nulls)
			if err != nil {
				return c, err
			}
			c.Chunks = append(c.Chunks, chunks...)
		}
		return c, nil
	})
}

// encodeKey returns the rows of a leaf as chunks of binary values.
func encodeKey(
	r *adapter.RawColumns, o Operand, order keyencode.Order, nulls keyencode.NullPlacement,
) ([]keyencode.Chunk, error) {
	l := newLeaf(o.Leaf, innerKey(order, nulls))
	l.bare, l.nullCode = true, nil
	l.marked = l.marked && l.inner[0].mayBeEmpty()
	values, err := r.PlainRows(o.Input, o.Leaf)
	if err != nil {
		return nil, err
	}
	ctx, opts := r.Call()
	e := newEncoder(ctx, values.Rows(), Options{Allocator: opts.Allocator, Threads: opts.Threads})
	defer e.release()
	s, err := e.source(&l, values)
	if err != nil {
		return nil, err
	}
	var encoded *Rows
	if s.packed() {
		encoded, err = e.encodePacked(&s)
	} else {
		encoded, err = e.encode([]source{s}, e.rows)
	}
	if err != nil {
		return nil, err
	}
	r.Hold(encoded)
	chunks := values.Chunks
	row := 0
	for i := range chunks {
		c := &chunks[i]
		c.Values, c.Data = encoded.offsetsFrom(row-c.Offset), [][]byte{encoded.Data}
		row += c.Rows
	}
	return chunks, nil
}

// innerKey returns the key of the elements of a key. Descending inverts the bytes of a value as a whole, so
// that nulls within lie on the other side before.
func innerKey(order keyencode.Order, nulls keyencode.NullPlacement) keyencode.Key {
	if order == keyencode.Descending {
		nulls = keyencode.NullsAtEnd + keyencode.NullsAtStart - nulls
	}
	return keyencode.Key{Nulls: nulls}
}
