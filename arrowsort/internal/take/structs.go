package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

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
	codes, err := g.codes(chunks, sel)
	if err != nil {
		return nil, err
	}
	fields, err := g.fields(layout.Fields(), chunks, sel)
	if err != nil {
		return nil, err
	}
	return g.data(typ, sel.len(), []*memory.Buffer{nil, codes}, fields, 0), nil
}

func (g *gatherer) codes(chunks []chunk, sel selection) (*memory.Buffer, error) {
	src, err := eachValues(chunks, 1)
	if err != nil {
		return nil, err
	}
	return g.fixed(src, 1, sel)
}
