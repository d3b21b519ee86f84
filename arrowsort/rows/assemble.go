package rows

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// assemble is the array data of a node, for the caller to release.
func (d *decoder) assemble(n *node) (*array.Data, error) {
	if n.leaf >= 0 {
		return d.columns[n.leaf].array(n.typ, d.n), nil
	}
	fields := make([]arrow.ArrayData, len(n.fields))
	for i := range n.fields {
		data, err := d.assemble(&n.fields[i])
		if err != nil {
			return nil, err
		}
		defer data.Release()
		fields[i] = data
	}
	validity, err := d.anyValid(fields)
	if err != nil {
		return nil, err
	}
	nulls := 0
	if validity != nil {
		nulls = d.n - bitutil.CountSetBits(validity.Bytes(), 0, d.n)
	}
	return array.NewData(n.typ, d.n, []*memory.Buffer{validity}, fields, nulls, 0), nil
}

// anyValid is the validity of structs: a row is null when all of its fields are, and so is every row of a struct
// without fields. It is nil without nulls.
func (d *decoder) anyValid(fields []arrow.ArrayData) (*memory.Buffer, error) {
	for _, f := range fields {
		if f.NullN() == 0 {
			return nil, nil
		}
	}
	any, err := d.allocate(d.ctx, (d.n+7)/8)
	if err != nil {
		return nil, err
	}
	bits := any.Bytes()
	clear(bits)
	for _, f := range fields {
		if b := f.Buffers()[0]; b != nil {
			for i, x := range b.Bytes()[:len(bits)] {
				bits[i] |= x
			}
		}
	}
	return any, nil
}
