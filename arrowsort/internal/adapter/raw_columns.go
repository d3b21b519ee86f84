package adapter

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/buffers"
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
func (v view) buffer(i int) []byte { return arraydata.Bytes(v.data, i) }

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
		buffers.And(merged, offset, m.bits, m.first, v.rows)
	}
	return merged, nil
}

// Values are the rows of a leaf as raw buffers: of a dictionary its indices, which need not be in range, and the
// dictionary of each chunk. Run-end-encoded rows are expanded.
type Values struct {
	keyencode.Column
	Dictionaries []arrow.ArrayData // of each chunk; nil when the column has none
}

// Plain is the type of the values that a column of a Sortable type stands for, when dictionaries and runs are resolved.
// An extension type is kept where its storage is plain.
func Plain(typ arrow.DataType) arrow.DataType {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return Plain(t.ValueType)
	case *arrow.RunEndEncodedType:
		return Plain(t.Encoded())
	}
	return typ
}

// Layout is how the values of a Plain type that is Sortable lie in memory.
func Layout(typ arrow.DataType) (kind keyencode.Kind, width int) {
	l, _ := layoutOf(typ)
	return l.kind, l.width
}

// Values are the rows of a leaf, whose type must be Sortable. The JobBuilder holds what memory they need.
func (w *JobBuilder) Values(leaf Leaf) (Values, error) {
	return w.values(leaf.Type, w.input.views(leaf.Path, nil))
}

// EntryValues are n entries of a dictionary, from entry first on.
func (w *JobBuilder) EntryValues(dictionary arrow.ArrayData, first, n int) (Values, error) {
	v := view{data: dictionary, first: dictionary.Offset() + first, rows: n}
	v.masks = v.ownMask(nil)
	return w.values(dictionary.DataType(), []view{v})
}

func (w *JobBuilder) values(typ arrow.DataType, views []view) (Values, error) {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.RunEndEncodedType:
		views, err := w.expandRuns(views)
		if err != nil {
			return Values{}, err
		}
		return w.values(t.Encoded(), views)
	case *arrow.DictionaryType:
		l, _ := layoutOf(t.IndexType)
		column, err := w.column(l, views)
		dictionaries := make([]arrow.ArrayData, len(views))
		for i, v := range views {
			dictionaries[i] = v.data.Dictionary()
		}
		return Values{column, dictionaries}, err
	}
	l, _ := layoutOf(typ)
	column, err := w.column(l, views)
	return Values{Column: column}, err
}

// expandRuns turns views of runs into views of plain values, which the JobBuilder holds.
func (w *JobBuilder) expandRuns(views []view) ([]view, error) {
	var plain []view
	for _, v := range views {
		arrays, err := take.Expand(
			w.ctx, v.data, v.first, v.rows, take.Options{Allocator: w.mem, Threads: w.Job.Threads},
		)
		if err != nil {
			return nil, err
		}
		plain = append(plain, w.hold(arrays, v.masks)...)
	}
	return plain, nil
}

// hold takes over arrays that have the values of the rows of a view, with its masks, and returns views of them.
func (w *JobBuilder) hold(arrays []arrow.Array, masks []mask) (views []view) {
	w.held = append(w.held, arrays...)
	done := 0
	for _, a := range arrays {
		if a.Len() == 0 {
			continue
		}
		v := newView(a.Data(), a.Len())
		for _, m := range masks {
			v.masks = append(v.masks, mask{m.bits, m.first + done})
		}
		done += a.Len()
		views = append(views, v)
	}
	return views
}
