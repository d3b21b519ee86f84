package arraydata

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Nulls returns an array of n nulls. Arrow's array.MakeArrayOfNull panics for views. The caller releases it.
func Nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.Array {
	d := nulls(mem, typ, n)
	defer d.Release()
	return array.MakeFromData(d)
}

func nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.ArrayData {
	var buffers []*memory.Buffer
	defer func() { memory.ReleaseBuffers(buffers) }()
	zeros := func(size int) []byte {
		b := NewBuffer(mem, size)
		clear(b.Bytes())
		buffers = append(buffers, b)
		return b.Bytes()
	}
	storage, count := StorageOf(typ), n
	switch t := storage.(type) {
	case arrow.UnionType: // without a bitmap; its first child is null
		buffers, count = append(buffers, nil), 0
		memory.Set(zeros(n), byte(t.TypeCodes()[0]))
		if t.Mode() == arrow.DenseMode {
			zeros(n * arrow.Int32SizeBytes)
		}
	case *arrow.RunEndEncodedType:
		buffers, count = append(buffers, nil), 0
	default:
		for _, spec := range storage.Layout().Buffers {
			switch spec.Kind {
			case arrow.KindAlwaysNull:
				buffers = append(buffers, nil)
			case arrow.KindBitmap:
				zeros(int(bitutil.BytesForBits(int64(n))))
			default:
				zeros(max(spec.ByteWidth, 0) * (n + 1)) // offsets are one more
			}
		}
	}
	children := nullChildren(mem, storage, n)
	defer Release(children)
	data := array.NewData(typ, n, buffers, children, count, 0)
	if t, ok := storage.(*arrow.DictionaryType); ok {
		entries := nulls(mem, t.ValueType, 0)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}

// nullChildren are the children of n nulls.
func nullChildren(mem memory.Allocator, typ arrow.DataType, n int) (children []arrow.ArrayData) {
	nested, ok := typ.(arrow.NestedType)
	if !ok {
		return nil
	}
	rows := 0 // of lists
	switch t := typ.(type) {
	case *arrow.StructType, *arrow.SparseUnionType:
		rows = n
	case *arrow.FixedSizeListType:
		rows = n * int(t.Len())
	case *arrow.DenseUnionType, *arrow.RunEndEncodedType:
		rows = min(n, 1)
	}
	for i, f := range nested.Fields() {
		if i == 0 && typ.ID() == arrow.RUN_END_ENCODED {
			children = append(children, runEnd(mem, f.Type, rows, n))
		} else {
			children = append(children, nulls(mem, f.Type, rows))
		}
	}
	return children
}

// runEnd is the end of one run, or of none.
func runEnd(mem memory.Allocator, typ arrow.DataType, runs, end int) arrow.ArrayData {
	b := NewBuffer(mem, arrow.Int64SizeBytes)
	defer b.Release()
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(end))
	return array.NewData(typ, runs, []*memory.Buffer{nil, b}, nil, 0, 0)
}
