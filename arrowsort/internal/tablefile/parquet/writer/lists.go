package writer

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// pqarrow v18.8.0 writes the values of a fixed-size list from the first value of its child on, whatever the offset of
// the list; it refuses lists that are null but have values, as every null fixed-size list does; and of a column of
// decimals without nulls it writes those in null structs, too, in place of others. So nested columns are written as
// lists with offsets from 0 on, in which null lists, and lists in null structs, have no values, and values in null
// structs are null. Parquet stores all kinds of lists alike.

// listType is the type of a nested column as it is written.
func listType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		if arraydata.IsNested(t) {
			return listType(t.StorageType())
		}
	case *arrow.ListType:
		return arrow.ListOfField(listField(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.ListOfField(listField(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.ListOfField(listField(t.ElemField()))
	}
	return arraydata.MapTypes(typ, listType)
}

func listField(f arrow.Field) arrow.Field {
	f.Type = listType(f.Type)
	return f
}

// A listWriter makes the arrays of nested columns as they are written.
type listWriter struct{ mem memory.Allocator }

// chunked returns the rows of a column in arrays of its listType. The caller releases it.
func (w listWriter) chunked(rows *arrow.Chunked) (*arrow.Chunked, error) {
	chunks := make([]arrow.Array, 0, len(rows.Chunks()))
	defer func() { arraydata.Release(chunks) }()
	for _, chunk := range rows.Chunks() {
		data, err := w.data(chunk.Data(), nil)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, array.MakeFromData(data))
		data.Release()
	}
	return arrow.NewChunked(listType(rows.DataType()), chunks), nil
}

// data returns the rows of an array. live reports whether a row is in no null struct; nil: none is. The caller releases
// the result.
func (w listWriter) data(d arrow.ArrayData, live func(row int) bool) (arrow.ArrayData, error) {
	typ := d.DataType()
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
	}
	switch t := typ.(type) {
	case *arrow.StructType:
		return w.structs(d, live)
	case *arrow.FixedSizeListType:
		n := int(t.Len())
		return w.lists(d, live, func(row int) (begin, end int) { return row * n, row*n + n })
	case *arrow.ListType, *arrow.MapType:
		offsets := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return w.lists(d, live, func(row int) (begin, end int) { return int(offsets[row]), int(offsets[row+1]) })
	case *arrow.LargeListType:
		offsets := arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return w.lists(d, live, func(row int) (begin, end int) { return int(offsets[row]), int(offsets[row+1]) })
	}
	return w.leaf(d, live), nil
}

// leaf returns values of which those in null structs are null.
func (w listWriter) leaf(d arrow.ArrayData, live func(row int) bool) arrow.ArrayData {
	if live == nil || d.DataType().ID() == arrow.NULL {
		d.Retain()
		return d
	}
	isValid := valid(d, live)
	validity := arraydata.NewBuffer(w.mem, int(bitutil.BytesForBits(int64(d.Offset()+d.Len()))))
	defer validity.Release()
	nulls := 0
	for i := range d.Len() {
		bitutil.SetBitTo(validity.Bytes(), d.Offset()+i, isValid(i))
		if !isValid(i) {
			nulls++
		}
	}
	buffers := slices.Clone(d.Buffers())
	buffers[0] = validity
	return array.NewData(d.DataType(), d.Len(), buffers, d.Children(), nulls, d.Offset())
}

// valid returns what reports whether a row is valid, and in no null struct; nil for all rows.
func valid(d arrow.ArrayData, live func(row int) bool) func(row int) bool {
	if d.Buffers()[0] == nil {
		return live
	}
	bits, offset := d.Buffers()[0].Bytes(), d.Offset()
	return func(row int) bool { return bitutil.BitIsSet(bits, offset+row) && (live == nil || live(row)) }
}

func (w listWriter) structs(d arrow.ArrayData, live func(row int) bool) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { arraydata.Release(children) }()
	for _, child := range d.Children() {
		rows := array.NewSliceData(child, int64(d.Offset()), int64(d.Offset()+d.Len()))
		child, err := w.data(rows, valid(d, live))
		rows.Release()
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return w.assemble(d, nil, children), nil
}

// lists makes lists of those whose values are in a range of the child for each row of the buffers.
func (w listWriter) lists(d arrow.ArrayData, live func(row int) bool,
	valuesOf func(row int) (begin, end int)) (arrow.ArrayData, error) {
	buffer := arraydata.NewBuffer(w.mem, arrow.Int32Traits.BytesRequired(d.Len()+1))
	defer buffer.Release()
	offsets := arrow.Int32Traits.CastFromBytes(buffer.Bytes())
	offsets[0] = 0
	isValid := valid(d, live)
	var rows arraydata.ChildRows
	for i := range d.Len() {
		if isValid == nil || isValid(i) {
			rows.Add(valuesOf(d.Offset() + i))
		}
		offsets[i+1] = int32(rows.Count)
	}
	if rows.Count > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows of lists have %d values, more than fit in a row group: ask for fewer rows "+
			"in one",
			d.Len(), rows.Count)
	}
	values, err := rows.Of(d.Children()[0], w.mem)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	child, err := w.data(values, nil)
	if err != nil {
		return nil, err
	}
	defer child.Release()
	return w.assemble(d, buffer, []arrow.ArrayData{child}), nil
}

// assemble makes an array of the rows of another, at offset 0, with other offsets of lists and children.
func (w listWriter) assemble(d arrow.ArrayData, offsets *memory.Buffer, children []arrow.ArrayData) arrow.ArrayData {
	var validity *memory.Buffer
	if bits := d.Buffers()[0]; bits != nil {
		validity = arraydata.NewBuffer(w.mem, int(bitutil.BytesForBits(int64(d.Len()))))
		defer validity.Release()
		bitutil.CopyBitmap(bits.Bytes(), d.Offset(), d.Len(), validity.Bytes(), 0)
	}
	buffers := []*memory.Buffer{validity}
	if offsets != nil {
		buffers = append(buffers, offsets)
	}
	return array.NewData(listType(d.DataType()), d.Len(), buffers, children, d.NullN(), 0)
}
