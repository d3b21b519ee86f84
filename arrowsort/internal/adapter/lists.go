package adapter

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A listLayout is that of lists whose elements have a fixed size and no nulls. They are binary values of the bytes of
// their elements, and an engine moves them as such: it reads the column in order, which is faster than to take lists by
// row numbers. Only offsets differ: those of binary values count bytes.
type listLayout struct {
	layout
	elem    arrow.DataType // nil: not a list of this kind
	element int            // bytes of an element
}

// listLayoutOf returns the layout of a type of lists whose elements have a fixed size.
func listLayoutOf(typ arrow.DataType) (l listLayout, ok bool) {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.ListType:
		l.layout, l.elem = layout{keyencode.Binary, arrow.Int32SizeBytes}, t.Elem()
	case *arrow.LargeListType:
		l.layout, l.elem = layout{keyencode.LargeBinary, arrow.Int64SizeBytes}, t.Elem()
	default:
		return l, false
	}
	if arraydata.Storage(l.elem).ID() == arrow.DICTIONARY {
		return listLayout{}, false
	}
	of, ok := layoutOf(l.elem)
	l.element = (&keyencode.Column{Kind: of.kind, Width: of.width}).ValueBytes()
	if !ok || l.element == 0 || of.kind == keyencode.BinaryView {
		return listLayout{}, false
	}
	return l, true
}

// holds reports whether slices of lists can move as binary values: their elements have no nulls, their offsets never
// fall and are those of elements that are there, under nulls too, and 32-bit offsets can count the bytes.
func (l listLayout) holds(parts []arraySlice) bool {
	total := 0
	for _, v := range parts {
		children := v.data.Children()
		if len(children) != 1 || len(arraydata.Bytes(children[0], 0)) > 0 && children[0].NullN() != 0 {
			return false
		}
		rising := risingOffsets[int64]
		if l.width == arrow.Int32SizeBytes {
			rising = risingOffsets[int32]
		}
		elements, ok := rising(v, children[0].Len())
		if !ok {
			return false
		}
		total += elements
	}
	return l.kind != keyencode.Binary || total <= math.MaxInt32/l.element
}

// risingOffsets returns how many elements the lists of a slice have, of the given number in their array. ok is false if
// their offsets are not those of such lists.
func risingOffsets[O int32 | int64](v arraySlice, elements int) (n int, ok bool) {
	all := buffers.View[O](v.buffer(1))
	if len(all) <= v.first+v.rows {
		return 0, v.rows == 0
	}
	all = all[v.first : v.first+v.rows+1]
	last := all[0]
	for _, o := range all {
		if o < last {
			return 0, false
		}
		last = o
	}
	return int(last - all[0]), all[0] >= 0 && int64(last) <= int64(elements)
}

// payloadColumn returns the raw column of slices of a payload.
func (r *RawColumns) payloadColumn(p *payload, l layout, parts []arraySlice) (keyencode.Column, error) {
	if p.lists.elem == nil {
		return r.column(l, parts)
	}
	c := keyencode.Column{Kind: l.kind, Width: l.width, Chunks: r.chunksOf(len(parts))}
	for i, v := range parts {
		var err error
		k := &c.Chunks[i]
		k.Rows, k.Offset = v.rows, v.first%8
		if k.Validity, err = r.validity(v, k.Offset); err != nil {
			return c, err
		}
		if k.Values, k.Data, err = r.listBytes(p.lists, v, k.Offset); err != nil {
			return c, err
		}
	}
	return c, nil
}

// listBytes returns the bytes of a slice of lists, and where those of each row begin, in temporary memory. The first
// row is at a position below 8.
func (r *RawColumns) listBytes(l listLayout, v arraySlice, at int) (offsets []byte, data [][]byte, err error) {
	elements := v.data.Children()[0]
	values := arraydata.Bytes(elements, 1)
	if end := (elements.Offset() + elements.Len()) * l.element; end <= len(values) {
		values = values[elements.Offset()*l.element : end]
	} else if elements.Len() > 0 {
		return nil, nil, fmt.Errorf("%w: an array of type %s has %d bytes of values where %d are needed",
			arrow.ErrInvalid, elements.DataType(), len(values), end)
	}
	if offsets, err = r.temporary((at + v.rows + 1) * l.width); err != nil {
		return nil, nil, err
	}
	clear(offsets[:at*l.width])
	scale := scaleOffsets[int64]
	if l.width == arrow.Int32SizeBytes {
		scale = scaleOffsets[int32]
	}
	first, err := scale(r, offsets[at*l.width:], v, l.element)
	if err != nil {
		return nil, nil, err
	}
	return offsets, [][]byte{values[first*l.element:]}, nil
}

// scaleOffsets writes offsets of bytes for those of the elements of a slice of lists, from the first one on, which it
// returns.
func scaleOffsets[O int32 | int64](r *RawColumns, bytes []byte, v arraySlice, size int) (first int, err error) {
	from, err := r.span(v, v.first*int(unsafe.Sizeof(O(0))), (v.first+v.rows+1)*int(unsafe.Sizeof(O(0))))
	if err != nil {
		return 0, err
	}
	src, dst := buffers.View[O](from)[:v.rows+1], buffers.View[O](bytes)
	base := src[0]
	return int(base), r.eachTile(len(src), func(lo, hi int) error {
		for i, o := range src[lo:hi] {
			dst[lo+i] = (o - base) * O(size)
		}
		return nil
	})
}

// listsOf returns array data of sorted binary values that are lists: validity, offsets, which become those of elements
// in place, and data.
func (r *RawColumns) listsOf(
	typ arrow.DataType, l listLayout, rows, nulls int, of []*memory.Buffer,
) (*array.Data, error) {
	data := of[2]
	if data == nil {
		data = memory.NewBufferBytes(nil)
	}
	if offsets := of[1]; offsets != nil {
		divide := divideOffsets[int64]
		if l.width == arrow.Int32SizeBytes {
			divide = divideOffsets[int32]
		}
		if err := divide(r, offsets.Bytes(), l.element); err != nil {
			return nil, err
		}
	}
	elements := array.NewData(l.elem, data.Len()/l.element, []*memory.Buffer{nil, data}, nil, 0, 0)
	defer elements.Release()
	return array.NewData(typ, rows, of[:2], []arrow.ArrayData{elements}, nulls, 0), nil
}

func divideOffsets[O int32 | int64](r *RawColumns, offsets []byte, size int) error {
	all := buffers.View[O](offsets)
	return r.eachTile(len(all), func(lo, hi int) error {
		for i := range all[lo:hi] {
			all[lo+i] /= O(size)
		}
		return nil
	})
}
