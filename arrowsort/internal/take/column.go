package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// column gathers the rows of sel from chunks of any type. The data belongs to the gatherer.
func (g *gatherer) column(typ arrow.DataType, chunks []chunk, sel selection) (*array.Data, error) {
	layout := Storage(typ)
	for i, c := range chunks {
		if have := Storage(c.data.DataType()).ID(); have != layout.ID() {
			return nil, fmt.Errorf("%w: chunk %d is stored as %s, the column as %s", errMalformed, i, have, layout.ID())
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

// A column is what to gather, its validity gathered already.
type column struct {
	typ      arrow.DataType
	chunks   []chunk
	sel      selection
	valid    []bitmap       // of the chunks
	validity *memory.Buffer // of the result; nil without nulls
	nulls    int            // in the result
}

// finish makes data of the column's validity and the given buffers.
func (g *gatherer) finish(col column, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	return g.data(col.typ, col.sel.len(), append([]*memory.Buffer{col.validity}, buffers...), children, col.nulls)
}

// Storage is the type that an extension type is stored as, and any other type itself.
func Storage(typ arrow.DataType) arrow.DataType {
	for {
		ext, ok := typ.(arrow.ExtensionType)
		if !ok {
			return typ
		}
		typ = ext.StorageType()
	}
}

func (g *gatherer) fixedWidth(col column, width int) (*array.Data, error) {
	src, err := eachValues(col.chunks, width)
	if err != nil {
		return nil, err
	}
	values, err := g.fixed(src, width, col.sel)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, values), nil
}
