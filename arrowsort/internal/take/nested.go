package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// column gathers the rows of sel from chunks of any type. The data belongs to the gatherer.
func (g *gatherer) column(typ arrow.DataType, chunks []chunk, sel selection) (*array.Data, error) {
	layout := arraydata.Storage(typ)
	for i, c := range chunks {
		if have := arraydata.Storage(c.data.DataType()).ID(); have != layout.ID() {
			return nil, fmt.Errorf("%w: chunk %d is stored as %s, the column as %s", arraydata.ErrMalformed, i, have,
				layout.ID())
		}
	}
	switch t := layout.(type) {
	case *arrow.NullType:
		return g.data(typ, sel.len(), []*memory.Buffer{nil}, nil, sel.len()), nil
	case *arrow.StructType:
		return g.structs(typ, t, chunks, sel)
	case *arrow.SparseUnionType:
		return g.sparse(typ, t, chunks, sel)
	case *arrow.DenseUnionType:
		return g.dense(typ, t, chunks, sel)
	case *arrow.RunEndEncodedType:
		return g.runs(typ, t, chunks, sel)
	}
	valid, nulls, validity, err := g.validity(chunks, sel)
	if err != nil {
		return nil, err
	}
	col := column{typ: typ, chunks: chunks, sel: sel, valid: valid, validity: validity, nulls: nulls}
	switch t := layout.(type) {
	case *arrow.BooleanType:
		return g.booleans(col)
	case *arrow.StringType, *arrow.BinaryType:
		return strings[int32](g, col)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return strings[int64](g, col)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return g.views(col)
	case *arrow.DictionaryType:
		return g.dictionary(col, t)
	case *arrow.MapType:
		return lists[int32](g, col, t.Elem(), false)
	case *arrow.ListType:
		return lists[int32](g, col, t.Elem(), false)
	case *arrow.LargeListType:
		return lists[int64](g, col, t.Elem(), false)
	case *arrow.ListViewType:
		return lists[int32](g, col, t.Elem(), true)
	case *arrow.LargeListViewType:
		return lists[int64](g, col, t.Elem(), true)
	case *arrow.FixedSizeListType:
		return g.fixedSizeLists(col, t)
	case arrow.FixedWidthDataType:
		return g.fixedWidth(col, t.Bytes())
	}
	return nil, fmt.Errorf("%w: take: rows of type %s", arrow.ErrNotImplemented, typ)
}

func (g *gatherer) structs(
	typ arrow.DataType, layout *arrow.StructType, chunks []chunk, sel selection,
) (*array.Data, error) {
	_, nulls, validity, err := g.validity(chunks, sel)
	if err != nil {
		return nil, err
	}
	fields, err := g.fields(layout.Fields(), chunks, sel)
	if err != nil {
		return nil, err
	}
	return g.data(typ, sel.len(), []*memory.Buffer{validity}, fields, nulls), nil
}

// fields gathers the same rows of every child.
func (g *gatherer) fields(fields []arrow.Field, chunks []chunk, sel selection) ([]arrow.ArrayData, error) {
	out := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		child, err := alignedChildren(chunks, i, 1)
		if err != nil {
			return nil, err
		}
		if out[i], err = g.column(f.Type, child, sel); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return out, nil
}

// sparse gathers a sparse union: its type codes, and the same rows of every child.
func (g *gatherer) sparse(
	typ arrow.DataType, layout *arrow.SparseUnionType, chunks []chunk, sel selection,
) (*array.Data, error) {
	codes, err := g.values(chunks, 1, sel)
	if err != nil {
		return nil, err
	}
	fields, err := g.fields(layout.Fields(), chunks, sel)
	if err != nil {
		return nil, err
	}
	return g.data(typ, sel.len(), []*memory.Buffer{nil, codes}, fields, 0), nil
}

// values gathers values of width bytes: the buffer of each chunk that follows the validity.
func (g *gatherer) values(chunks []chunk, width int, sel selection) (*memory.Buffer, error) {
	src, err := eachValues(chunks, width)
	if err != nil {
		return nil, err
	}
	return g.fixed(src, width, sel)
}

// dense gathers a dense union: its type codes, new offsets that rise by one within each child, and the rows of each
// child that the rows of the union refer to.
func (g *gatherer) dense(
	typ arrow.DataType, layout *arrow.DenseUnionType, chunks []chunk, sel selection,
) (*array.Data, error) {
	d := denseRows{g: g, typ: typ, ids: layout.ChildIDs(), fields: layout.Fields(), sel: sel}
	codes, err := g.values(chunks, 1, sel)
	if err != nil {
		return nil, err
	}
	d.codes = buffers.View[int8](codes.Bytes())
	if err := d.source(chunks); err != nil {
		return nil, err
	}
	totals, err := d.count()
	if err != nil {
		return nil, err
	}
	offsets, err := g.buffer(4 * sel.len())
	if err != nil {
		return nil, err
	}
	positions, err := g.scratch(max(8*sel.len(), 1))
	if err != nil {
		return nil, err
	}
	defer positions.Release()
	rows := buffers.View[uint64](positions.Bytes())
	if err := d.place(totals, buffers.View[int32](offsets.Bytes()), rows); err != nil {
		return nil, err
	}
	out := make([]arrow.ArrayData, len(d.fields))
	for i, f := range d.fields {
		if out[i], err = g.column(f.Type, d.children[i], positionList(rows[:totals[i]])); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		rows = rows[totals[i]:]
	}
	return g.data(typ, sel.len(), []*memory.Buffer{nil, codes, offsets}, out, 0), nil
}

// denseRows is the state of dense.
type denseRows struct {
	g        *gatherer
	typ      arrow.DataType
	ids      []int // the child of each type code
	fields   []arrow.Field
	sel      selection
	codes    []int8    // of the result
	offsets  [][]int32 // of each chunk
	children [][]chunk // of each field
	counts   [][]int   // rows of each field in each tile, then rows before it
}

func (d *denseRows) source(chunks []chunk) error {
	for _, c := range chunks {
		offsets, err := numbers[int32](c, 2, 0)
		if err != nil {
			return err
		}
		d.offsets = append(d.offsets, offsets)
	}
	for i := range d.fields {
		d.children = append(d.children, children(chunks, i))
	}
	return nil
}

// child returns the field of a type code.
func (d *denseRows) child(code int8) (int, error) {
	if code >= 0 && int(code) < len(d.ids) {
		if id := d.ids[code]; id >= 0 && id < len(d.fields) {
			return id, nil
		}
	}
	return 0, fmt.Errorf("%w: %s has no type code %d", arraydata.ErrMalformed, d.typ, code)
}

// count counts the rows of each field, in all and before each tile.
func (d *denseRows) count() (totals []int, err error) {
	d.counts = make([][]int, (len(d.codes)+tileRows-1)/tileRows)
	for t := range d.counts {
		d.counts[t] = make([]int, len(d.fields))
	}
	err = d.g.tiles(len(d.codes), func(lo, hi int, _ []uint64) error {
		for _, code := range d.codes[lo:hi] {
			id, err := d.child(code)
			if err != nil {
				return err
			}
			d.counts[lo/tileRows][id]++
		}
		return nil
	})
	totals = make([]int, len(d.fields))
	for _, counts := range d.counts {
		for id, n := range counts {
			counts[id] = totals[id]
			totals[id] += n
		}
	}
	for _, n := range totals {
		if int64(n) > d.g.limit && err == nil {
			err = &overflowError{d.typ, int64(n), d.g.limit}
		}
	}
	if err != nil {
		return nil, err
	}
	return totals, nil
}

// place writes each row's offset, and its position in its child's share of rows, one child's share after the other's.
func (d *denseRows) place(totals []int, offsets []int32, rows []uint64) error {
	first := make([]int, len(d.fields)+1)
	for id, n := range totals {
		first[id+1] = first[id] + n
	}
	return d.g.tiles(len(d.codes), func(lo, hi int, block []uint64) error {
		next := d.counts[lo/tileRows]
		return eachBlock(d.sel, lo, hi, block, func(lo int, at []uint64) error {
			for i, p := range at {
				id, c := d.ids[d.codes[lo+i]], p>>rowBits
				from := d.offsets[c][p&rowMask]
				if from < 0 || int(from) >= d.children[id][c].length {
					return fmt.Errorf(
						"%w: offset %d into child %d of %d rows", arraydata.ErrMalformed, from, id,
						d.children[id][c].length,
					)
				}
				offsets[lo+i] = int32(next[id])
				rows[first[id]+next[id]] = p&^rowMask | uint64(from)
				next[id]++
			}
			return nil
		})
	})
}
