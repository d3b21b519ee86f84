package ipc

import (
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

func (p *plainer) nested(typ arrow.NestedType, d arrow.ArrayData, first, n int) plainParts {
	switch t := typ.(type) {
	case *arrow.ListType, *arrow.MapType:
		return plainList[int32](p, d, first, n)
	case *arrow.LargeListType:
		return plainList[int64](p, d, first, n)
	case *arrow.ListViewType:
		return plainListView[int32](p, d, first, n)
	case *arrow.LargeListViewType:
		return plainListView[int64](p, d, first, n)
	case *arrow.FixedSizeListType:
		size := int(t.Len())
		values := p.rows(d.Children()[0], first*size, n*size)
		return plainParts{buffers: []*memory.Buffer{nil}, children: []arrow.ArrayData{values}}
	case *arrow.StructType:
		return plainParts{buffers: []*memory.Buffer{nil}, children: p.fields(d, first, n)}
	case *arrow.SparseUnionType:
		codes := p.slice(d, 1, 1, first, n)
		return plainParts{buffers: []*memory.Buffer{nil, codes}, children: p.fields(d, first, n)}
	case *arrow.DenseUnionType:
		return p.dense(t, d, first, n)
	case *arrow.RunEndEncodedType:
		return p.runs(t, d, first, n)
	}
	panic(fileerror.Unsupported("type %s", typ))
}

// fields are the rows of children that have the rows of their parent.
func (p *plainer) fields(d arrow.ArrayData, first, n int) []arrow.ArrayData {
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = p.rows(c, first, n)
	}
	return children
}

func plainList[T arraydata.Offset](p *plainer, d arrow.ArrayData, first, n int) plainParts {
	offsets, start, end := plainOffsets[T](p, d, first, n)
	values := p.rows(d.Children()[0], start, end-start)
	return plainParts{buffers: []*memory.Buffer{nil, offsets}, children: []arrow.ArrayData{values}}
}

// plainListView keeps of the values what is between the first and the last that a list has. Null lists become empty.
func plainListView[T arraydata.Offset](p *plainer, d arrow.ArrayData, first, n int) plainParts {
	width := len(arrow.GetBytes(make([]T, 1)))
	offsets, sizes := p.buffer(n*width), p.buffer(n*width)
	parts := plainParts{buffers: []*memory.Buffer{nil, offsets, sizes}}
	start, end := T(0), T(0)
	if n > 0 {
		from, to := arrow.GetData[T](arraydata.Bytes(d, 1))[first:], arrow.GetData[T](offsets.Bytes())
		all, lengths := arrow.GetData[T](arraydata.Bytes(d, 2))[first:], arrow.GetData[T](sizes.Bytes())
		valid := arraydata.Validity(d)
		for i := range n {
			if all[i] == 0 || valid != nil && !bitutil.BitIsSet(valid, first+i) {
				continue
			}
			if end == 0 || from[i] < start {
				start = from[i]
			}
			end = max(end, from[i]+all[i])
			to[i], lengths[i] = from[i], all[i]
		}
		for i := range to {
			if lengths[i] != 0 {
				to[i] -= start
			}
		}
	}
	parts.children = []arrow.ArrayData{p.rows(d.Children()[0], int(start), int(end-start))}
	return parts
}

// dense keeps of each child what is between the first and the last value that a row has.
func (p *plainer) dense(typ *arrow.DenseUnionType, d arrow.ArrayData, first, n int) plainParts {
	offsets := p.buffer(4 * n)
	parts := plainParts{buffers: []*memory.Buffer{nil, p.slice(d, 1, 1, first, n), offsets}}
	starts, ends := make([]int32, typ.NumFields()), make([]int32, typ.NumFields())
	if n > 0 {
		codes, ids := arraydata.Bytes(d, 1)[first:], typ.ChildIDs()
		from, to := arrow.GetData[int32](arraydata.Bytes(d, 2))[first:], arrow.GetData[int32](offsets.Bytes())
		for i := range n {
			child := ids[codes[i]]
			if ends[child] == 0 || from[i] < starts[child] {
				starts[child] = from[i]
			}
			ends[child] = max(ends[child], from[i]+1)
		}
		for i := range n {
			to[i] = from[i] - starts[ids[codes[i]]]
		}
	}
	for i, c := range d.Children() {
		parts.children = append(parts.children, p.rows(c, int(starts[i]), int(ends[i]-starts[i])))
	}
	return parts
}

// runs keeps the runs that have a row, the last of them no longer than the rows.
func (p *plainer) runs(typ *arrow.RunEndEncodedType, d arrow.ArrayData, first, n int) plainParts {
	ends, width := d.Children()[0], typ.RunEnds().(arrow.FixedWidthDataType).Bytes()
	endOfRun := func(run int) int {
		return int(arraydata.LittleEndian(arraydata.Bytes(ends, 1)[(ends.Offset()+run)*width:], width))
	}
	from := sort.Search(ends.Len(), func(run int) bool { return endOfRun(run) > first })
	to := from
	var shortened []byte
	for last := 0; last < n; to++ {
		last = min(endOfRun(to)-first, n)
		for k := range width {
			shortened = append(shortened, byte(last>>(8*k)))
		}
	}
	plain := p.buffer(len(shortened))
	copy(plain.Bytes(), shortened)
	defer plain.Release()
	return plainParts{buffers: []*memory.Buffer{nil}, children: []arrow.ArrayData{
		array.NewData(typ.RunEnds(), to-from, []*memory.Buffer{nil, plain}, nil, 0, 0),
		p.rows(d.Children()[1], from, to-from),
	}}
}
