package adapter

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// A view is a run of rows of an array, as seen through the structs above it.
type view struct {
	data  arrow.ArrayData
	first int    // position of the first row in data's buffers
	rows  int    // more than 0
	masks []mask // validity of the rows: data's own and that of the structs above it; none when all rows are valid
}

// A mask is a validity bitmap; its bit first belongs to the first row of the view.
type mask struct {
	bits  []byte
	first int
}

// views are the rows of the field at path, one view for each chunk that has rows, in buf if it is large enough.
func (in *Input) views(path []int, buf []view) []view {
	left := in.Rows
	chunks := in.Columns[path[0]].Chunks
	views := slices.Grow(buf, len(chunks))
	for _, chunk := range chunks {
		rows := min(chunk.Len(), left)
		if rows == 0 {
			continue
		}
		left -= rows
		v := newView(chunk.Data(), rows)
		for _, field := range path[1:] {
			v = v.child(field)
		}
		views = append(views, v)
	}
	return views
}

// newView is the first rows of data.
func newView(data arrow.ArrayData, rows int) view {
	v := view{data: data, first: data.Offset(), rows: rows}
	v.masks = v.ownMask(nil)
	return v
}

// child is a field of a view of structs. Children do not include the offset of their parent.
func (v view) child(field int) view {
	data := v.data.Children()[field]
	c := view{data: data, first: v.first + data.Offset(), rows: v.rows}
	c.masks = c.ownMask(v.masks)
	return c
}

// ownMask is masks and the view's own validity, if it may have nulls.
func (v view) ownMask(masks []mask) []mask {
	if bits := v.buffer(0); len(bits) > 0 && v.data.NullN() != 0 {
		return append(masks[:len(masks):len(masks)], mask{bits, v.first})
	}
	return masks
}

// buffer is the i-th buffer of the array, nil when it has none.
func (v view) buffer(i int) []byte {
	buffers := v.data.Buffers()
	if i >= len(buffers) || buffers[i] == nil {
		return nil
	}
	return buffers[i].Bytes()
}

// validity is a bitmap whose bit offset, below 8, belongs to the first row. It is borrowed when the view has one mask
// whose bits lie right; else it is made.
func (w *JobBuilder) validity(v view, offset int) ([]byte, error) {
	for _, m := range v.masks {
		if 8*len(m.bits) < m.first+v.rows {
			return nil, fmt.Errorf("%w: an array of type %s has validity for %d rows where there are %d",
				arrow.ErrInvalid, v.data.DataType(), 8*len(m.bits), m.first+v.rows)
		}
	}
	switch {
	case len(v.masks) == 0:
		return nil, nil
	case len(v.masks) == 1 && v.masks[0].first%8 == offset:
		return v.masks[0].bits[v.masks[0].first/8:], nil
	}
	merged, err := w.temporary((offset + v.rows + 7) / 8)
	if err != nil {
		return nil, err
	}
	for i := range merged {
		merged[i] = 0xff
	}
	for _, m := range v.masks {
		m.intersect(merged, offset, v.rows)
	}
	return merged, nil
}

// intersect clears each of n bits of dst, from bit offset on, whose bit in the mask is clear.
func (m mask) intersect(dst []byte, offset, n int) {
	i := 0
	clearBit := func() {
		if !bitutil.BitIsSet(m.bits, m.first+i) {
			bitutil.ClearBit(dst, offset+i)
		}
		i++
	}
	for i < n && (offset+i)%8 != 0 {
		clearBit()
	}
	for shift := (m.first + i) % 8; i+8 <= n; i += 8 {
		at := (m.first + i) / 8
		bits := m.bits[at] >> shift
		if shift > 0 {
			bits |= m.bits[at+1] << (8 - shift)
		}
		dst[(offset+i)/8] &= bits
	}
	for i < n {
		clearBit()
	}
}
