package parquetsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// withDictionaries is a table of values with the dictionaries of a schema. The caller releases it.
func withDictionaries(table arrow.Table, schema *arrow.Schema, trees []*dictionaryTree,
	mem memory.Allocator) (arrow.Table, error) {
	columns := make([]arrow.Column, 0, schema.NumFields())
	defer func() {
		for i := range columns {
			columns[i].Release()
		}
	}()
	for i, f := range schema.Fields() {
		data, err := trees[i].chunked(table.Column(i).Data(), mem)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		columns = append(columns, *arrow.NewColumn(f, data))
		data.Release()
	}
	return array.NewTable(schema, columns, table.NumRows()), nil
}

// chunked is a column with indices in place of the values of dictionaries. The caller releases it.
func (t *dictionaryTree) chunked(column *arrow.Chunked, mem memory.Allocator) (*arrow.Chunked, error) {
	var chunks []arrow.Array
	defer func() {
		for _, c := range chunks {
			c.Release()
		}
	}()
	for _, c := range column.Chunks() {
		data, err := t.encoded(c.Data(), mem)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, array.MakeFromData(data))
		data.Release()
	}
	return arrow.NewChunked(t.typ, chunks), nil
}

// encoded is an array with indices in place of the values of dictionaries. Children stay as long as they are. The
// caller releases it.
func (t *dictionaryTree) encoded(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if t.entries != nil {
		return t.indices(d, mem)
	}
	if len(t.children) == 0 {
		d.Retain()
		return d, nil
	}
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for i, c := range t.children {
		child, err := c.encoded(d.Children()[i], mem)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(t.typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}

// indices are the numbers of values in their dictionary.
func (t *dictionaryTree) indices(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	values := array.MakeFromData(d)
	defer values.Release()
	read, err := readValues(values)
	if err != nil {
		return nil, err
	}
	b := array.NewBuilder(mem, t.typ.(*arrow.DictionaryType).IndexType)
	defer b.Release()
	b.Reserve(values.Len())
	for i := range values.Len() {
		value, valid := read(i)
		if !valid {
			b.AppendNull()
			continue
		}
		index, found := t.entries.numbers[value]
		if !found {
			return nil, fmt.Errorf("%w: a value is in no dictionary of the inputs: have they changed since the "+
				"sort began?", ErrSchema)
		}
		appendIndex(b, index)
	}
	indices := b.NewArray()
	defer indices.Release()
	n := indices.Data()
	data := array.NewData(t.typ, n.Len(), n.Buffers(), nil, n.NullN(), n.Offset())
	data.SetDictionary(t.entries.all.Data())
	return data, nil
}

// appendIndex appends an index to a builder that has space.
func appendIndex(b array.Builder, index int) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.UnsafeAppend(int8(index))
	case *array.Uint8Builder:
		b.UnsafeAppend(uint8(index))
	case *array.Int16Builder:
		b.UnsafeAppend(int16(index))
	case *array.Uint16Builder:
		b.UnsafeAppend(uint16(index))
	case *array.Int32Builder:
		b.UnsafeAppend(int32(index))
	case *array.Uint32Builder:
		b.UnsafeAppend(uint32(index))
	case *array.Int64Builder:
		b.UnsafeAppend(int64(index))
	case *array.Uint64Builder:
		b.UnsafeAppend(uint64(index))
	}
}
