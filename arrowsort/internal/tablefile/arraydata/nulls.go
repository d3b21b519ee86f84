package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Nulls returns an array of n nulls. Arrow's own function panics for views. The caller releases it.
func Nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.Array {
	d := nulls(mem, typ, n)
	defer d.Release()
	return array.MakeFromData(d)
}

func nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.ArrayData {
	storage, rows := StorageOf(typ), 0 // of the children: none of lists
	switch t := storage.(type) {
	case arrow.UnionType, *arrow.RunEndEncodedType: // they have no bitmap
		b := array.NewBuilder(mem, typ)
		defer b.Release()
		b.AppendNulls(n)
		a := b.NewArray()
		defer a.Release()
		a.Data().Retain()
		return a.Data()
	case *arrow.StructType:
		rows = n
	case *arrow.FixedSizeListType:
		rows = n * int(t.Len())
	}
	var buffers []*memory.Buffer
	defer func() { memory.ReleaseBuffers(buffers) }()
	for _, spec := range storage.Layout().Buffers {
		b := NewBuffer(mem, max(spec.ByteWidth, 1)*(n+1)) // offsets are one more
		clear(b.Bytes())
		buffers = append(buffers, b)
	}
	var children []arrow.ArrayData
	defer func() { Release(children) }()
	if nested, ok := storage.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			children = append(children, nulls(mem, f.Type, rows))
		}
	}
	data := array.NewData(typ, n, buffers, children, n, 0)
	if t, ok := storage.(*arrow.DictionaryType); ok {
		entries := nulls(mem, t.ValueType, 0)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}
