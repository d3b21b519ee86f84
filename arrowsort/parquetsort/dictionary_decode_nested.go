package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// decodedType is a type with those of the values of dictionaries in their place, also inside lists, structs and maps.
func decodedType(typ arrow.DataType) arrow.DataType {
	if !take.HasDictionary(typ) {
		return typ
	}
	if t, ok := typ.(*arrow.DictionaryType); ok {
		return decodedType(t.ValueType)
	}
	return arraydata.MapTypes(typ, decodedType)
}

// decodedArray is an array with the values of its dictionaries. Children stay as long as they are: the rows of their
// parents find them by the same numbers.
func decodedArray(ctx context.Context, a arrow.Array, opts arrowsort.Options) (arrow.Array, error) {
	if d, ok := a.(*array.Dictionary); ok {
		values, err := dictionaryValues(ctx, d, opts)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return decodedArray(ctx, values, opts)
	}
	if !take.HasDictionary(a.DataType()) {
		a.Retain()
		return a, nil
	}
	data := a.Data()
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range data.Children() {
		child := array.MakeFromData(c)
		plain, err := decodedArray(ctx, child, opts)
		child.Release()
		if err != nil {
			return nil, err
		}
		plain.Data().Retain()
		children = append(children, plain.Data())
		plain.Release()
	}
	plain := array.NewData(decodedType(a.DataType()), data.Len(), data.Buffers(), children, data.NullN(), data.Offset())
	defer plain.Release()
	return array.MakeFromData(plain), nil
}
