package parquet

import (
	"encoding/binary"
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

const (
	maxSchemaLevels = 1000 // of nested columns: readers of Parquet recurse
	footerTail      = 8    // the length of the metadata, and the magic bytes
	schemaElements  = 2    // of the metadata, in parquet.thrift
	elementChildren = 5    // of a schema element
)

// checkSchemaTree makes sure that the schema elements of a footer are one tree of at most maxSchemaLevels, before
// anything allocates the children that they declare.
func checkSchemaTree(src io.ReaderAt, size int64) error {
	var tail [footerTail]byte
	if _, err := src.ReadAt(tail[:], size-footerTail); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-footerTail {
		return fileerror.Corrupt("a footer of %d bytes in a file of %d", length, size)
	}
	if length == 0 {
		return fileerror.Corrupt("its footer has no bytes: whoever wrote it did not end, or its last bytes are lost")
	}
	footer := make([]byte, length)
	if _, err := src.ReadAt(footer, size-footerTail-length); err != nil {
		return err
	}
	return fileerror.Contain(func() error { return readSchemaTree(&page.CompactReader{Bytes: footer}) })
}

// readSchemaTree walks over the schema elements, which come in depth-first order.
func readSchemaTree(r *page.CompactReader) error {
	number := 0
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
		switch children := schemaChildren(r); {
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

// schemaChildren passes a schema element and returns the number of its children.
func schemaChildren(r *page.CompactReader) (children int) {
	r.Fields(func(field int, typ byte) {
		if field == elementChildren {
			children = r.NumberOf(typ)
		} else {
			r.Skip(typ)
		}
	})
	return children
}
