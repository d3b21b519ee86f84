package take

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// lists gathers lists or, with sizes, list views, whose elements end up in the order of the rows.
func lists[O offset](g *gatherer, col column, elem arrow.DataType, sizes bool) (*array.Data, error) {
	elems := children(col.chunks, 0)
	src := make([]extents[O], len(col.chunks))
	width := int(unsafe.Sizeof(O(0)))
	for i, c := range col.chunks {
		more := 1
		src[i].elements = elems[i].length
		if sizes {
			more = 0
			b, err := c.values(2, width, 0)
			if err != nil {
				return nil, err
			}
			src[i].sizes = as[O](b)
		}
		b, err := c.values(1, width, more)
		if err != nil {
			return nil, err
		}
		src[i].offsets = as[O](b)
	}
	where, ends, starts, err := lengths(g, col, src)
	if err != nil {
		return nil, err
	}
	defer starts.Release()
	child, err := g.column(elem, elems, where)
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{ends}
	if sizes {
		size, err := listSizes(g, where)
		if err != nil {
			return nil, err
		}
		ends.ResizeNoShrink(col.sel.len() * width) // a view has no offset after the last one
		buffers = append(buffers, size)
	}
	return g.finish(col, []arrow.ArrayData{child}, buffers...), nil
}

// listSizes is the number of elements of each list.
func listSizes[O offset](g *gatherer, s spans[O]) (*memory.Buffer, error) {
	b, err := g.buffer(len(s.starts) * int(unsafe.Sizeof(O(0))))
	if err != nil {
		return nil, err
	}
	sizes := as[O](b.Bytes())
	return b, g.tiles(len(sizes), func(lo, hi int, _ []uint64) error {
		for i := lo; i < hi; i++ {
			sizes[i] = s.ends[i+1] - s.ends[i]
		}
		return nil
	})
}

func (g *gatherer) fixedSizeLists(col column, typ *arrow.FixedSizeListType) (*array.Data, error) {
	size := int(typ.Len())
	elems, err := alignedChildren(col.chunks, 0, size)
	if err != nil {
		return nil, err
	}
	child, err := g.column(typ.Elem(), elems, groups{col.sel, size})
	if err != nil {
		return nil, err
	}
	return g.finish(col, []arrow.ArrayData{child}), nil
}
