package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// usedEntries is the array with a dictionary of only those entries that rows refer to, in the dictionary's order. So a
// row group holds no entries of others, and its statistics are its own.
func usedEntries(a *array.Dictionary, mem memory.Allocator) (*array.Dictionary, error) {
	entries := a.Dictionary()
	numbers := make([]int32, entries.Len()) // plus one, of the entries that are used
	used := 0
	for i := 0; i < a.Len() && used < len(numbers); i++ { // a small dictionary is seen whole in the first rows
		if a.IsNull(i) {
			continue
		}
		if k := a.GetValueIndex(i); numbers[k] == 0 {
			numbers[k] = 1
			used++
		}
	}
	if used == len(numbers) && a.DataType().(*arrow.DictionaryType).IndexType.ID() == arrow.INT32 {
		a.Retain()
		return a, nil
	}
	next := int32(0)
	for i, n := range numbers {
		if n != 0 {
			next++
			numbers[i] = next
		}
	}
	kept, err := keepEntries(entries, numbers, mem)
	if err != nil {
		return nil, err
	}
	defer kept.Release()
	b := array.NewInt32Builder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.UnsafeAppendBoolToBitmap(false)
		} else {
			b.UnsafeAppend(numbers[a.GetValueIndex(i)] - 1)
		}
	}
	indices := b.NewArray()
	defer indices.Release()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: entries.DataType()}
	return array.NewDictionaryArray(typ, indices, kept), nil
}

// keepEntries copies the numbered entries of a dictionary.
func keepEntries(entries arrow.Array, numbers []int32, mem memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(mem, entries.DataType())
	defer b.Release()
	for i, n := range numbers {
		if n == 0 {
			continue
		}
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(entries.(*array.String).Value(i))
		case *array.BinaryBuilder:
			b.Append(entries.(*array.Binary).Value(i))
		case *array.Int64Builder:
			b.Append(entries.(*array.Int64).Value(i))
		default:
			return nil, corrupt("a dictionary of type %s", entries.DataType())
		}
	}
	return b.NewArray(), nil
}
