package computefn

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

func searchSorted(ctx context.Context, options SearchSortedOptions, args []compute.Datum) (compute.Datum, error) {
	values, err := columnOfDatum(args[0])
	if err != nil {
		return nil, fmt.Errorf("the values: %w", err)
	}
	defer values.Release()
	opts := sortOptions(ctx)
	one, isScalar := args[1].(*compute.ScalarDatum)
	var needles arrowsort.Data
	if isScalar && one != nil {
		needles, err = arrayOf(one.Value)
	} else {
		needles, err = columnOfDatum(args[1])
	}
	if err != nil {
		return nil, fmt.Errorf("the needles: %w", err)
	}
	defer needles.Release()
	places, err := functions.SearchSorted(ctx, values, needles, options.Side, opts)
	switch {
	case err != nil:
		return nil, err
	case !isScalar:
		return own(places, nil)
	}
	defer places.Release()
	if places.IsNull(0) {
		return compute.NewDatum(scalar.MakeNullScalar(arrow.PrimitiveTypes.Uint64)), nil
	}
	return compute.NewDatum(places.Value(0)), nil
}

// columnOfDatum is dataOf for a datum that is one column.
func columnOfDatum(datum compute.Datum) (arrowsort.Data, error) {
	if err := noColumns(datum); err != nil {
		return nil, err
	}
	return dataOf(datum)
}

// arrayOf returns an array of one value, perhaps stored otherwise, in memory from Go: Arrow leaks memory when it fails.
func arrayOf(value scalar.Scalar) (_ arrow.Array, err error) {
	defer func() {
		if p := recover(); p != nil { // a nil, or a type of which Arrow makes no array
			err = fmt.Errorf("%w: a scalar of type %T cannot be read: %v", arrow.ErrInvalid, value, p)
		}
	}()
	switch v := value.(type) {
	case *scalar.Extension:
		return extended(v)
	case *scalar.Dictionary:
		entry, err := v.GetEncodedValue()
		if err != nil {
			return nil, err
		}
		if held, ok := entry.(scalar.Releasable); ok {
			defer held.Release()
		}
		return arrayOf(entry)
	case *scalar.RunEndEncoded:
		return arrayOf(orNull(v.Valid, v.Value, v.Type.(*arrow.RunEndEncodedType).Encoded()))
	case *scalar.LargeString, *scalar.LargeBinary: // Arrow gives arrays of these offsets of the wrong width
		b := array.NewBuilder(memory.NewGoAllocator(), value.DataType())
		defer b.Release()
		err := scalar.Append(b, value)
		return b.NewArray(), err
	}
	return scalar.MakeArrayFromScalar(value, 1, memory.NewGoAllocator())
}

// extended is arrayOf for an extension type. It returns the bare storage if that is not of the type.
func extended(value *scalar.Extension) (arrow.Array, error) {
	typ := value.Type.(arrow.ExtensionType)
	storage, err := arrayOf(orNull(value.Valid, value.Value, typ.StorageType()))
	if err != nil || !arrow.TypeEqual(storage.DataType(), typ.StorageType()) {
		return storage, err
	}
	defer storage.Release()
	return array.NewExtensionArrayWithStorage(typ, storage), nil
}

// orNull returns a value, or a null of its type.
func orNull(valid bool, value scalar.Scalar, typ arrow.DataType) scalar.Scalar {
	if valid {
		return value
	}
	return scalar.MakeNullScalar(typ)
}
