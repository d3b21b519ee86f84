// Package dictionary gives the chunks of columns the same dictionaries.
package dictionary

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// Unify gives all chunks of a column the same dictionary, at every level of its type, so that equal indices
// mean equal values. The caller releases the table.
func Unify(mem memory.Allocator, table arrow.Table) (arrow.Table, error) {
	columns := make([]arrow.Column, 0, table.NumCols())
	defer func() {
		for i := range columns {
			columns[i].Release()
		}
	}()
	for i, field := range table.Schema().Fields() {
		chunks, err := unifyColumn(mem, table.Column(i).Data())
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", field.Name, err)
		}
		columns = append(columns, *arrow.NewColumn(field, chunks))
		chunks.Release()
	}
	return array.NewTable(table.Schema(), columns, table.NumRows()), nil
}

func unifyColumn(mem memory.Allocator, column *arrow.Chunked) (*arrow.Chunked, error) {
	if len(column.Chunks()) < 2 || !refers(column.DataType()) {
		column.Retain()
		return column, nil
	}
	before := make([]arrow.ArrayData, len(column.Chunks()))
	for i, c := range column.Chunks() {
		before[i] = c.Data()
	}
	after, err := unifyChunks(mem, column.DataType(), before)
	if err != nil {
		return nil, err
	}
	defer arraydata.Release(after)
	chunks := make([]arrow.Array, len(after))
	for i, d := range after {
		chunks[i] = array.MakeFromData(d)
		defer chunks[i].Release()
	}
	return arrow.NewChunked(column.DataType(), chunks), nil
}

// unifyChunks is unifyColumn for the data of chunks, which stay as they are. The caller releases the result.
func unifyChunks(mem memory.Allocator, typ arrow.DataType, chunks []arrow.ArrayData) ([]arrow.ArrayData, error) {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
	}
	switch t := typ.(type) {
	case *arrow.DictionaryType:
		return unifyIndices(mem, t, chunks)
	case arrow.NestedType:
		if refers(typ) {
			return unifyChildren(mem, t, chunks)
		}
	}
	for _, c := range chunks {
		c.Retain()
	}
	return append([]arrow.ArrayData(nil), chunks...), nil
}

func unifyChildren(mem memory.Allocator, typ arrow.NestedType, chunks []arrow.ArrayData) ([]arrow.ArrayData, error) {
	children := make([][]arrow.ArrayData, len(chunks)) // of each chunk
	defer func() {
		for _, c := range children {
			arraydata.Release(c)
		}
	}()
	for i, f := range typ.Fields() {
		column := make([]arrow.ArrayData, len(chunks))
		for k, c := range chunks {
			column[k] = c.Children()[i]
		}
		unified, err := unifyChunks(mem, f.Type, column)
		if err != nil {
			return nil, err
		}
		for k := range chunks {
			children[k] = append(children[k], unified[k])
		}
	}
	out := make([]arrow.ArrayData, len(chunks))
	for k, c := range chunks {
		out[k] = array.NewData(c.DataType(), c.Len(), c.Buffers(), children[k], c.NullN(), c.Offset())
	}
	return out, nil
}

// unifyIndices joins the dictionaries of chunks, unless they are equal, and has the indices refer to the whole.
func unifyIndices(
	mem memory.Allocator, typ *arrow.DictionaryType, chunks []arrow.ArrayData,
) ([]arrow.ArrayData, error) {
	values := make([]arrow.ArrayData, len(chunks))
	for i, c := range chunks {
		values[i] = c.Dictionary()
	}
	values, err := unifyChunks(mem, typ.ValueType, values)
	if err != nil {
		return nil, err
	}
	defer arraydata.Release(values)
	j, err := joinDictionaries(mem, typ.ValueType, values)
	if err != nil {
		return nil, err
	}
	defer j.entries.Release()
	bits := typ.IndexType.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(typ.IndexType.ID()) {
		bits--
	}
	if n := j.entries.Len(); uint64(max(n-1, 0))>>bits != 0 {
		return nil, fileerror.Unsupported("type %s with the %d entries that all batches have together", typ, n)
	}
	out := make([]arrow.ArrayData, 0, len(chunks))
	for i, c := range chunks {
		out = append(out, redirect(mem, typ, c, j.places[i], j.entries.Data().(*array.Data)))
	}
	return out, nil
}

// redirect is a chunk whose indices refer to other entries: to places[i] instead of i. Nil places change nothing.
func redirect(
	mem memory.Allocator, typ *arrow.DictionaryType, c arrow.ArrayData, places []int, entries *array.Data,
) arrow.ArrayData {
	buffers := append([]*memory.Buffer(nil), c.Buffers()...)
	if places != nil && c.Len() > 0 {
		width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
		buffers[1] = memory.NewResizableBuffer(mem)
		defer buffers[1].Release()
		buffers[1].Resize(int(arraydata.End(c)) * width)
		from, to := arraydata.Bytes(c, 1), buffers[1].Bytes()
		for at := c.Offset() * width; at < int(arraydata.End(c))*width; at += width {
			place := uint64(0) // where the row is null there may be any index
			if index := arraydata.LittleEndian(from[at:], width); index < uint64(len(places)) {
				place = uint64(places[index])
			}
			for k := range width {
				to[at+k] = byte(place >> (8 * k))
			}
		}
	}
	return array.NewDataWithDictionary(c.DataType(), c.Len(), buffers, c.NullN(), c.Offset(), entries)
}

// refers reports whether a type has dictionaries, at any level.
func refers(typ arrow.DataType) bool {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
	}
	if nested, ok := typ.(arrow.NestedType); ok {
		return slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return refers(f.Type) })
	}
	return typ.ID() == arrow.DICTIONARY
}
