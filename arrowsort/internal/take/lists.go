package take

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// lists gathers lists or, with sizes, list views, whose elements end up in the order of the rows.
func lists[O offset](g *gatherer, col column, elem arrow.DataType, sizes bool) (*array.Data, error) {
	elems := children(col.chunks, 0)
	src := make([]elementRanges[O], len(col.chunks))
	width := int(unsafe.Sizeof(O(0)))
	for i, c := range col.chunks {
		more, err := 1, error(nil)
		src[i].elements = elems[i].length
		if sizes {
			more = 0
			if src[i].sizes, err = numbers[O](c, 2, 0); err != nil {
				return nil, err
			}
		}
		if src[i].offsets, err = numbers[O](c, 1, more); err != nil {
			return nil, err
		}
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

// listSizes returns the number of elements of each list.
func listSizes[O offset](g *gatherer, s spans[O]) (*memory.Buffer, error) {
	b, err := g.buffer(len(s.starts) * int(unsafe.Sizeof(O(0))))
	if err != nil {
		return nil, err
	}
	sizes := buffers.View[O](b.Bytes())
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

// strings gathers strings or binary values with offsets of either width.
func strings[O offset](g *gatherer, col column) (*array.Data, error) {
	src, bytes := make([]elementRanges[O], len(col.chunks)), make([][]byte, len(col.chunks))
	for i, c := range col.chunks {
		offsets, err := numbers[O](c, 1, 1)
		if err != nil {
			return nil, err
		}
		bytes[i] = c.bytes(2)
		src[i] = elementRanges[O]{offsets: offsets, elements: len(bytes[i])}
	}
	selection, offsets, sources, err := lengths(g, col, src)
	if err != nil {
		return nil, err
	}
	defer sources.Release()
	data, err := g.fixed(bytes, 1, selection)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, offsets, data), nil
}

// elementRanges says which elements each row of a chunk has: from offsets[row], up to the next offset or, for list
// views, sizes[row] of them.
type elementRanges[O offset] struct {
	offsets, sizes []O
	elements       int // all elements of the chunk
}

// lengths works out where the elements of every row lie and where they go. ends is the result's offsets, n+1 of them;
// the caller releases starts.
func lengths[O offset](
	g *gatherer, col column, src []elementRanges[O],
) (s spans[O], ends, starts *memory.Buffer, err error) {
	n := col.sel.len()
	width := int(unsafe.Sizeof(O(0)))
	for i, e := range src {
		if uint64(e.elements) > rowMask {
			return s, nil, nil, fmt.Errorf(
				"%w: take: chunk %d of %s has %d elements", arrow.ErrInvalid, i, col.typ, e.elements,
			)
		}
	}
	if ends, err = g.buffer((n + 1) * width); err != nil {
		return s, nil, nil, err
	}
	if starts, err = g.scratch(max(8*n, 1)); err != nil {
		return s, nil, nil, err
	}
	s = spans[O]{starts: buffers.View[uint64](starts.Bytes())[:n], ends: buffers.View[O](ends.Bytes())}
	sums := make([]int64, (n+tileRows-1)/tileRows+1)
	err = g.tiles(n, func(lo, hi int, block []uint64) error {
		return eachBlock(col.sel, lo, hi, block, func(first int, at []uint64) error {
			sum, err := measure(s.starts[first:first+len(at)], s.ends[first+1:first+1+len(at)], src, col.valid, at)
			sums[lo/tileRows+1] += sum
			return err
		})
	})
	if err == nil {
		err = g.total(col, sums, width)
	}
	if err == nil {
		err = g.tiles(n, func(lo, hi int, _ []uint64) error {
			at := O(sums[lo/tileRows])
			for i, length := range s.ends[lo+1 : hi+1] {
				at += length
				s.ends[lo+1+i] = at
			}
			return nil
		})
	}
	if err != nil {
		starts.Release()
		return s, nil, nil, err
	}
	s.ends[0] = 0
	return s, ends, starts, nil
}

// total turns the elements of each tile into those before it, and checks that offsets of width bytes reach the last
// one.
func (g *gatherer) total(col column, sums []int64, width int) error {
	for i := range sums[1:] {
		sums[i+1] += sums[i]
	}
	if all := sums[len(sums)-1]; width == 4 && all > g.limit {
		return &overflowError{col.typ, all, g.limit}
	}
	return nil
}

// measure writes for each position where its elements start and how many there are, none for a null, and returns how
// many in all.
func measure[O offset](
	starts []uint64, lengths []O, src []elementRanges[O], valid []bitmap, at []uint64,
) (sum int64, err error) {
	for i, p := range at {
		c, row := p>>rowBits, p&rowMask
		if !valid[c].bit(row) {
			starts[i], lengths[i] = p&^rowMask, 0
			continue
		}
		e := &src[c]
		start := int64(e.offsets[row])
		var length int64
		if e.sizes != nil {
			length = int64(e.sizes[row])
		} else {
			length = int64(e.offsets[row+1]) - start
		}
		if start < 0 || length < 0 || start > int64(e.elements) || length > int64(e.elements)-start {
			return 0, fmt.Errorf(
				"%w: row %d of chunk %d has elements %d to %d of %d", arraydata.ErrMalformed, row, c, start,
				start+length, e.elements,
			)
		}
		starts[i], lengths[i] = p&^rowMask|uint64(start), O(length)
		sum += length
	}
	return sum, nil
}
