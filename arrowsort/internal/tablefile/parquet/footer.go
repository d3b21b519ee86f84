package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

const (
	maxSchemaLevels = 1000 // of nested columns: readers of Parquet recurse
	schemaElements  = 2    // of the metadata, in parquet.thrift
	elementName     = 4    // of a schema element
	elementChildren = 5
	elementLogical  = 10
	lastLogical     = 18 // of the logical types that arrow-go has; it panics for others
)

// A schemaTree is what the schema elements of a footer were found to be.
type schemaTree struct {
	footer  []byte   // without logical types that are unknown
	unknown []string // names of the elements that had one
}

// readSchemaTree makes sure that the schema elements of a footer are one tree of at most maxSchemaLevels. They come in
// depth-first order.
func readSchemaTree(footer []byte) (*schemaTree, error) {
	t := &schemaTree{footer: footer}
	return t, t.read()
}

// read walks over the schema elements.
func (t *schemaTree) read() error {
	r, number := &page.CompactReader{Bytes: t.footer}, 0
	for {
		typ, more := r.Field(&number)
		switch {
		case !more:
			return fileerror.Corrupt("the footer has no schema")
		case number != schemaElements:
			r.Skip(typ)
			continue
		}
		break
	}
	elements := r.ListOf(page.ThriftStruct)
	open := []int{1} // elements still to come at each level
	for left := elements; left > 0; left-- {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return fileerror.Corrupt("the schema has %d elements after its last column", left)
		}
		open[len(open)-1]--
		switch children := t.element(r); {
		case children >= left:
			return fileerror.Corrupt("a schema of %d elements declares %d children of one", elements, children)
		case children > 0 && len(open) > maxSchemaLevels:
			return fileerror.Unsupported("a schema of more than %d levels", maxSchemaLevels)
		case children > 0:
			open = append(open, children)
		}
	}
	return nil
}

// element passes a schema element and returns the number of its children. A logical type that is unknown is cut out of
// the footer: it is the last field of an element.
func (t *schemaTree) element(r *page.CompactReader) (children int) {
	name, number := "", 0
	for {
		at := r.At
		typ, more := r.Field(&number)
		switch {
		case !more:
			return children
		case number == elementChildren:
			children = r.NumberOf(typ)
		case number == elementName && typ == page.ThriftBinary:
			start := r.At
			r.Skip(typ)
			_, head := binary.Uvarint(r.Bytes[start:])
			name = string(r.Bytes[start+head : r.At])
		case number == elementLogical && typ == page.ThriftStruct && !isKnownLogical(r):
			t.unknown = append(t.unknown, name)
			t.footer = slices.Concat(r.Bytes[:at], r.Bytes[r.At:])
			r.Bytes, r.At = t.footer, at
		case number != elementLogical || typ != page.ThriftStruct:
			r.Skip(typ)
		}
	}
}

// isKnownLogical passes a logical type and reports whether it is one that is known.
func isKnownLogical(r *page.CompactReader) (known bool) {
	r.Fields(func(field int, typ byte) {
		known = field >= 1 && field <= lastLogical
		r.Skip(typ)
	})
	return known
}
