package rows

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// A Field is a key of rows: a type, and how its values are ordered.
type Field struct {
	// Name is the name of the column in errors and in what Decode returns; it may be empty.
	Name string
	// Type is the type of the column.
	Type arrow.DataType
	// Order and Nulls are those of arrowsort.Key.
	Order arrowsort.Order
	Nulls arrowsort.NullPlacement
}

// A Converter turns key columns into rows of bytes and back. It does not change, and holds no data.
type Converter struct {
	schema  *arrow.Schema // of the data
	leaves  []leaf        // in the order of their bytes
	columns []node        // what Decode returns
	decoded *arrow.Schema // of that
}

// NewConverter returns the converter of data that has one column for each field, in their order, all of them keys. It
// fails with arrowsort.ErrNoKeys, ErrKeyType or ErrOption.
func NewConverter(fields ...Field) (*Converter, error) {
	columns := make([]arrow.Field, len(fields))
	keys := make([]arrowsort.Key, len(fields))
	for i, f := range fields {
		if f.Type != arrow.DataType(arrow.Null) && adapter.IsNil(f.Type) { // Arrow's null type is a nil pointer
			return nil, fmt.Errorf("%w: field %d has no type", arrowsort.ErrOption, i)
		}
		columns[i] = arrow.Field{Name: f.Name, Type: f.Type, Nullable: true}
		keys[i] = arrowsort.Key{Index: i, Order: f.Order, Nulls: f.Nulls}
	}
	return ForKeys(arrow.NewSchema(columns, nil), keys)
}

// ForKeys returns the converter of keys in data of a schema; they may be nested fields. As in arrowsort.Sort, a column
// that is a key twice counts once. It fails with the errors of arrowsort.ResolveKeys.
func ForKeys(schema *arrow.Schema, keys []arrowsort.Key) (*Converter, error) {
	found, err := arrowsort.ResolveKeys(schema, keys)
	if err != nil {
		return nil, err
	}
	c := &Converter{schema: schema}
	fields := make([]arrow.Field, len(found))
	for i, key := range found {
		column := c.add(adapter.Leaf{Path: key.Path, Name: key.Name, Type: key.Type}, key)
		c.columns = append(c.columns, column)
		fields[i] = arrow.Field{Name: key.Name, Type: column.typ, Nullable: true}
	}
	c.decoded = arrow.NewSchema(fields, nil)
	return c, nil
}

// Schema is that of the records that Decode returns: a column for each key.
func (c *Converter) Schema() *arrow.Schema { return c.decoded }

// A node is a column of the result of Decode, or a field of one: a leaf, or a struct of nodes.
type node struct {
	typ    arrow.DataType
	leaf   int // -1: a struct
	fields []node
}

// add makes the leaves of a key, but for those that there are already.
func (c *Converter) add(column adapter.Leaf, key arrowsort.KeyColumn) node {
	s, ok := adapter.StructOf(column.Type)
	if !ok {
		same := func(l leaf) bool { return slices.Equal(l.Path, column.Path) }
		i := slices.IndexFunc(c.leaves, same)
		if i < 0 {
			i = len(c.leaves)
			c.leaves = append(c.leaves, newLeaf(column, key))
		}
		return node{typ: c.leaves[i].plain, leaf: i}
	}
	n := node{typ: column.Type, leaf: -1, fields: make([]node, len(s.Fields()))}
	fields := slices.Clone(s.Fields())
	for i, f := range fields {
		path := append(slices.Clone(column.Path), i)
		n.fields[i] = c.add(adapter.Leaf{Path: path, Name: column.Name + "." + f.Name, Type: f.Type}, key)
		fields[i].Type = n.fields[i].typ
	}
	if plain := arrow.StructOf(fields...); !arrow.TypeEqual(plain, s) {
		n.typ = plain
	}
	return n
}
