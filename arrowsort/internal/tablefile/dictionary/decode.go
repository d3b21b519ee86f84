package dictionary

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// DecodedSchema returns the schema of the rows as they are sorted: with the values of dictionaries in their place,
// since each batch of an input has other dictionaries. Dictionaries inside extension types are ErrUnsupported.
func DecodedSchema(schema *arrow.Schema) (*arrow.Schema, error) {
	decoded := arraydata.WithTypes(schema, DecodedType)
	for _, f := range decoded.Fields() {
		if arraydata.HasDictionary(f.Type) {
			return nil, errkind.Unsupported("column %q: a dictionary inside type %s, read in pieces,", f.Name,
				f.Type)
		}
	}
	return decoded, nil
}

// DecodedType replaces dictionary types by the types of their values, also inside nested types.
func DecodedType(typ arrow.DataType) arrow.DataType {
	if !arraydata.HasDictionary(typ) {
		return typ
	}
	if t, ok := typ.(*arrow.DictionaryType); ok {
		return DecodedType(t.ValueType)
	}
	return arraydata.MapTypes(typ, DecodedType)
}

// WithType returns a column with a type that its type agrees with, or with the decoded type. The caller releases it.
func WithType(ctx context.Context, column *arrow.Chunked, typ arrow.DataType,
	opts take.Options) (*arrow.Chunked, error) {
	return arraydata.ConvertChunks(column, typ, func(d arrow.ArrayData) (arrow.ArrayData, error) {
		return DataWithType(ctx, d, typ, opts)
	})
}

// DataWithType is WithType of an array.
func DataWithType(ctx context.Context, d arrow.ArrayData, typ arrow.DataType,
	opts take.Options) (arrow.ArrayData, error) {
	if arrow.TypeEqual(d.DataType(), typ) {
		d.Retain()
		return d, nil
	}
	if _, ok := d.DataType().(*arrow.DictionaryType); ok {
		values, err := RowValues(ctx, d, opts)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return DataWithType(ctx, values.Data(), typ, opts)
	}
	var fields []arrow.Field
	if nested, ok := typ.(arrow.NestedType); ok {
		fields = nested.Fields()
	}
	return arraydata.ConvertChildren(d, typ, func(i int, child arrow.ArrayData) (arrow.ArrayData, error) {
		return DataWithType(ctx, child, fields[i].Type, opts)
	})
}

// RowValues returns the values of the rows of a dictionary array.
func RowValues(ctx context.Context, d arrow.ArrayData, opts take.Options) (arrow.Array, error) {
	a := array.NewDictionaryData(d)
	defer a.Release()
	values, err := Values(ctx, a, opts)
	if errors.Is(err, take.ErrOffsets) {
		return nil, fmt.Errorf("%w: a piece has %d rows of strings of more than 2 GiB", errkind.ErrBudget, a.Len())
	}
	return values, err
}
