package rowcode

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A decoded is the rows of a node. Its validity is nil where no row is null. That of a union is not in its array.
type decoded struct {
	*array.Data
	validity *memory.Buffer
}

// assembleAll returns the array data of the nodes of keys, for the caller to release.
func (d *decoder) assembleAll(nodes []node) ([]arrow.ArrayData, error) {
	all := make([]arrow.ArrayData, 0, len(nodes))
	for i := range nodes {
		column, err := d.assemble(&nodes[i])
		if err == nil {
			all = append(all, column.Data)
			if leaf := nodes[i].leaf; !d.inner && leaf >= 0 && column.validity != nil && d.columns[leaf].whole() {
				err = d.nullUnion(&d.columns[leaf], column.validity, nil)
			}
		}
		if err != nil {
			arraydata.Release(all)
			return nil, err
		}
	}
	return all, nil
}

// whole reports whether the leaf is a union that is not in a struct, and so is never null.
func (l *leaf) whole() bool { return l.format == formatUnion && !l.encoded() && len(l.Path) <= 1 }

// nullUnion returns an error for the first union that is null where its struct, if there is one, is not.
func (d *decoder) nullUnion(c *column, union, parent *memory.Buffer) error {
	for i := range d.n {
		if !buffers.Bit(union.Bytes(), i) && (parent == nil || buffers.Bit(parent.Bytes(), i)) {
			return fmt.Errorf("%w: row %d has a union in key %s of type %s that is null", ErrRow, i, c.Name, c.Type)
		}
	}
	return nil
}

// encoded reports whether the leaf is a dictionary or has runs.
func (l *leaf) encoded() bool {
	switch arraydata.Storage(l.Type).(type) {
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		return true
	}
	return false
}

// assemble returns the array data of a node, for the caller to release.
func (d *decoder) assemble(n *node) (decoded, error) {
	if n.leaf >= 0 {
		c := &d.columns[n.leaf]
		all := decoded{Data: c.array(n.typ, d.n)}
		if c.nulls.Load() > 0 {
			all.validity = c.validity
		}
		if n.required && all.validity != nil {
			all.Release()
			return decoded{}, fmt.Errorf("%w: a map has a null as key %s of type %s", ErrRow, c.Name, c.Type)
		}
		return all, nil
	}
	fields, data := make([]decoded, len(n.fields)), make([]arrow.ArrayData, len(n.fields))
	for i := range n.fields {
		var err error
		if fields[i], err = d.assemble(&n.fields[i]); err != nil {
			return decoded{}, err
		}
		defer fields[i].Release()
		data[i] = fields[i].Data
	}
	validity, err := d.anyValid(n, fields)
	if err != nil {
		return decoded{}, err
	}
	for i, f := range n.fields {
		if f.leaf < 0 || fields[i].validity == nil {
			continue
		}
		if c := &d.columns[f.leaf]; c.format == formatUnion && !c.encoded() {
			if err := d.nullUnion(c, fields[i].validity, validity); err != nil {
				return decoded{}, err
			}
		}
	}
	nulls := 0
	if validity != nil {
		nulls = d.n - bitutil.CountSetBits(validity.Bytes(), 0, d.n)
	}
	return decoded{array.NewData(n.typ, d.n, []*memory.Buffer{validity}, data, nulls, 0), validity}, nil
}

// anyValid returns the validity of structs: a row is null when all of its fields are, and so is every row of a struct
// without fields. It is nil without nulls, and where there can be none.
func (d *decoder) anyValid(n *node, fields []decoded) (*memory.Buffer, error) {
	if n.required {
		return nil, nil
	}
	for _, f := range fields {
		if f.validity == nil && arraydata.Storage(f.DataType()).ID() != arrow.NULL {
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
		if f.validity != nil {
			for i, x := range f.validity.Bytes()[:len(bits)] {
				bits[i] |= x
			}
		}
	}
	return any, nil
}
