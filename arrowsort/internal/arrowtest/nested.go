package arrowtest

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

func (g *generator) nested(typ arrow.DataType, n int) *array.Data {
	switch t := typ.(type) {
	case *arrow.MapType:
		return g.mapped(t, n)
	case *arrow.ListType:
		return g.list(typ, t.Elem(), n, 4)
	case *arrow.LargeListType:
		return g.list(typ, t.Elem(), n, 8)
	case *arrow.ListViewType:
		return g.listView(typ, t.Elem(), n, 4)
	case *arrow.LargeListViewType:
		return g.listView(typ, t.Elem(), n, 8)
	case *arrow.FixedSizeListType:
		return g.finishNested(typ, n, []arrow.ArrayData{g.data(t.Elem(), n*int(t.Len()))})
	case *arrow.StructType:
		return g.finishNested(typ, n, g.children(t.Fields(), n))
	case *arrow.SparseUnionType:
		codes := g.codes(t.TypeCodes(), n)
		return g.withoutValidity(typ, n, g.children(t.Fields(), n), codes)
	case *arrow.DenseUnionType:
		return g.dense(t, n)
	case *arrow.RunEndEncodedType:
		return g.runs(t, n)
	}
	panic(fmt.Sprintf("arrowtest: no generator for %s", typ))
}

func (g *generator) children(fields []arrow.Field, n int) []arrow.ArrayData {
	children := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		children[i] = g.data(f.Type, n)
	}
	return children
}

// offsets returns n+1 rising offsets, the first of them not always 0, and how many elements they span.
func (g *generator) offsets(n, width int) (*memory.Buffer, int) {
	offsets := g.buffer((n + 1) * width)
	at := g.rng.IntN(3)
	for i := range n + 1 {
		fillSigned(offsets.Bytes()[i*width:(i+1)*width], int64(at))
		if i < n {
			at += g.rng.IntN(5)
		}
	}
	return offsets, at
}

func (g *generator) list(typ, elem arrow.DataType, n, width int) *array.Data {
	offsets, elems := g.offsets(n, width)
	return g.finishNested(typ, n, []arrow.ArrayData{g.data(elem, elems+g.rng.IntN(2))}, offsets)
}

func (g *generator) listView(typ, elem arrow.DataType, n, width int) *array.Data {
	offsets, sizes := g.buffer(n*width), g.buffer(n*width)
	elems := 2*n + 5
	for i := range n {
		size := g.rng.IntN(5)
		fillSigned(sizes.Bytes()[i*width:(i+1)*width], int64(size))
		fillSigned(offsets.Bytes()[i*width:(i+1)*width], int64(g.rng.IntN(elems-size+1)))
	}
	return g.finishNested(typ, n, []arrow.ArrayData{g.data(elem, elems)}, offsets, sizes)
}

// mapped has keys and entries without nulls, as Arrow demands.
func (g *generator) mapped(typ *arrow.MapType, n int) *array.Data {
	offsets, elems := g.offsets(n, 4)
	strict := &generator{rng: g.rng, mem: g.mem}
	keys, items := strict.data(typ.KeyType(), elems), g.data(typ.ItemType(), elems)
	entries := strict.finishNested(typ.Elem(), elems, []arrow.ArrayData{keys, items})
	return g.finishNested(typ, n, []arrow.ArrayData{entries}, offsets)
}

func (g *generator) codes(codes []arrow.UnionTypeCode, n int) *memory.Buffer {
	b := g.buffer(n)
	for i := range n {
		b.Bytes()[i] = byte(codes[g.rng.IntN(len(codes))])
	}
	return b
}

func (g *generator) dense(typ *arrow.DenseUnionType, n int) *array.Data {
	codes, offsets := g.codes(typ.TypeCodes(), n), g.buffer(4*n)
	used := make([]int, len(typ.Fields()))
	for i, code := range codes.Bytes() {
		child := typ.ChildIDs()[code]
		fillSigned(offsets.Bytes()[4*i:4*i+4], int64(used[child]))
		used[child]++
	}
	children := make([]arrow.ArrayData, len(used))
	for i, f := range typ.Fields() {
		children[i] = g.data(f.Type, used[i])
	}
	return g.withoutValidity(typ, n, children, codes, offsets)
}

// runs has runs of 1 to 6 rows; the last one may end after the array.
func (g *generator) runs(typ *arrow.RunEndEncodedType, n int) *array.Data {
	var ends []int
	for end := 0; end < n; {
		end += 1 + g.rng.IntN(6)
		ends = append(ends, end)
	}
	width := typ.RunEnds().(arrow.FixedWidthDataType).Bytes()
	if width == 2 && n > 32_760 {
		panic("arrowtest: too many rows for run ends of 16 bits")
	}
	buffer := g.buffer(width * len(ends))
	for i, end := range ends {
		fillSigned(buffer.Bytes()[i*width:(i+1)*width], int64(end))
	}
	strict := &generator{rng: g.rng, mem: g.mem}
	children := []arrow.ArrayData{strict.finish(typ.RunEnds(), len(ends), buffer), g.data(typ.Encoded(), len(ends))}
	return g.withoutValidity(typ, n, children)
}

func (g *generator) withoutValidity(
	typ arrow.DataType, n int, children []arrow.ArrayData, buffers ...*memory.Buffer,
) *array.Data {
	strict := &generator{rng: g.rng, mem: g.mem}
	return strict.finishNested(typ, n, children, buffers...)
}
