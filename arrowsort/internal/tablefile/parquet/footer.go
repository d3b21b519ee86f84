package parquet

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// checkMagic distinguishes a file that was cut off, or is something else, from one that is broken inside.
func checkMagic(src io.ReaderAt, size int64) error {
	if size < 12 {
		return errkind.Corrupt("%d bytes are too few for a Parquet file", size)
	}
	var head, tail [4]byte
	if _, err := src.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := src.ReadAt(tail[:], size-4); err != nil {
		return err
	}
	switch {
	case string(head[:]) == "PARE" || string(tail[:]) == "PARE":
		return errkind.Corrupt("encrypted Parquet files are not supported")
	case string(head[:]) != page.Magic && string(tail[:]) == page.Magic:
		return errkind.Corrupt("the beginning of the Parquet file is missing")
	case string(head[:]) != page.Magic:
		return errkind.Corrupt("not a Parquet file")
	case string(tail[:]) != page.Magic:
		return errkind.Corrupt("the Parquet footer is missing, the file is cut off")
	}
	return nil
}

// checkFooter makes sure that all places in the footer lie in the file and that its counts agree. It sets the number of
// rows of a file whose footer counts none to that of its row groups.
func checkFooter(meta *metadata.FileMetaData, size int64) error {
	columns := meta.Schema.NumColumns()
	total := int64(0)
	for g, group := range meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > math.MaxInt64-total {
			return errkind.Corrupt("row group %d has %d rows", g, group.NumRows)
		}
		total += group.NumRows
		if len(group.Columns) != columns {
			return errkind.Corrupt("row group %d has %d columns, the schema has %d", g, len(group.Columns), columns)
		}
		for c, chunk := range group.Columns {
			if chunk.MetaData == nil || chunk.CryptoMetadata != nil {
				return errkind.Corrupt("column %d of row group %d is encrypted or has no metadata", c, g)
			}
			if chunk.FilePath != nil && *chunk.FilePath != "" {
				return errkind.Corrupt("column %d of row group %d lies in another file, %q", c, g, *chunk.FilePath)
			}
			m := chunk.MetaData
			start := page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			outside := start < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > size ||
				start > size-m.TotalCompressedSize
			if outside && group.NumRows > 0 { // without rows there are no pages, and no offsets of them
				return errkind.Corrupt("column %d of row group %d lies outside the file", c, g)
			}
			if int(m.Type) != int(meta.Schema.Column(c).PhysicalType()) {
				return errkind.Corrupt("column %d of row group %d is not of the type in the schema", c, g)
			}
			flat := meta.Schema.Column(c).MaxRepetitionLevel() == 0
			if m.NumValues < 0 || flat && m.NumValues != group.NumRows {
				return errkind.Corrupt("column %d of row group %d has %d values in %d rows", c, g, m.NumValues,
					group.NumRows)
			}
		}
	}
	if meta.NumRows == 0 { // old writers left it so
		meta.NumRows = total
	}
	if total != meta.NumRows {
		return errkind.Corrupt("the row groups have %d rows, the file says %d", total, meta.NumRows)
	}
	return nil
}

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
	r := &page.CompactReader{Bytes: t.footer}
	if !r.Find(schemaElements) {
		return nil, errkind.Corrupt("the footer has no schema")
	}
	elements := r.ListOf(page.ThriftStruct)
	open := []int{1} // elements still to come at each level
	for left := elements; left > 0; left-- {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil, errkind.Corrupt("the schema has %d elements after its last column", left)
		}
		open[len(open)-1]--
		switch children := t.element(r); {
		case children >= left:
			return nil, errkind.Corrupt("a schema of %d elements declares %d children of one", elements, children)
		case children > 0 && len(open) > maxSchemaLevels:
			return nil, errkind.Unsupported("a schema of more than %d levels", maxSchemaLevels)
		case children > 0:
			open = append(open, children)
		}
	}
	return t, nil
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

// checkEncodings makes sure that the codec and the encodings of all columns are read, before any page is.
func checkEncodings(meta *metadata.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for c, chunk := range group.Columns {
			column, m := meta.Schema.Column(c), chunk.MetaData
			switch codec := compress.Compression(m.Codec); codec {
			case compress.Codecs.Lzo, compress.Codecs.Lz4:
				return errkind.Unsupported("column %q: compression %s", column.Path(), codec)
			}
			fixed := column.PhysicalType() == parquet.Types.FixedLenByteArray
			for _, e := range m.Encodings {
				if int(e) < page.Plain || int(e) > page.LastEncoding {
					return errkind.Unsupported("column %q: encoding %d of a newer version of Parquet",
						column.Path(), e)
				}
				if fixed && parquet.Encoding(e) == parquet.Encodings.DeltaByteArray {
					return errkind.Unsupported("column %q: encoding DELTA_BYTE_ARRAY of values of fixed length",
						column.Path())
				}
			}
		}
	}
	return nil
}
