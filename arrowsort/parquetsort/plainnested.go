package parquetsort

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// plainType is a type with those of the values of dictionaries in their place, also inside lists, structs and maps.
func plainType(typ arrow.DataType) arrow.DataType {
	if !take.HasDictionary(typ) {
		return typ
	}
	field := func(f arrow.Field) arrow.Field {
		f.Type = plainType(f.Type)
		return f
	}
	switch t := typ.(type) {
	case *arrow.DictionaryType:
		return plainType(t.ValueType)
	case *arrow.StructType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i] = field(fields[i])
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(field(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(field(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), field(t.ElemField()))
	case *arrow.MapType:
		plain := arrow.MapOf(plainType(t.KeyType()), plainType(t.ItemType()))
		plain.KeysSorted = t.KeysSorted
		plain.SetItemNullable(t.ItemField().Nullable)
		return plain
	}
	return typ
}

// plainArray is an array with the values of its dictionaries. Children stay as long as they are: the rows of their parents
// find them by the same numbers.
func plainArray(ctx context.Context, a arrow.Array, opts arrowsort.Options) (arrow.Array, error) {
	if d, ok := a.(*array.Dictionary); ok {
		values, err := dictionaryValues(ctx, d, opts)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return plainArray(ctx, values, opts)
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
		plain, err := plainArray(ctx, child, opts)
		child.Release()
		if err != nil {
			return nil, err
		}
		plain.Data().Retain()
		children = append(children, plain.Data())
		plain.Release()
	}
	plain := array.NewData(plainType(a.DataType()), data.Len(), data.Buffers(), children, data.NullN(), data.Offset())
	defer plain.Release()
	return array.MakeFromData(plain), nil
}
