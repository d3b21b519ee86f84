package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/scalar"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

func searchSorted(ctx context.Context, options SearchSortedOptions, args []compute.Datum) (compute.Datum, error) {
	values, err := columnOf(args[0])
	if err != nil {
		return nil, fmt.Errorf("the values: %w", err)
	}
	defer values.Release()
	one, isScalar := args[1].(*compute.ScalarDatum)
	var needles Data
	if isScalar && one != nil {
		needles, err = arrayOf(one.Value)
	} else {
		needles, err = columnOf(args[1])
	}
	if err != nil {
		return nil, fmt.Errorf("the needles: %w", err)
	}
	defer needles.Release()
	places, err := placesOf(ctx, values, needles, options.Side)
	switch {
	case err != nil:
		return nil, err
	case !isScalar:
		return owned(places, nil)
	}
	defer places.Release()
	if places.IsNull(0) {
		return compute.NewDatum(scalar.MakeNullScalar(arrow.PrimitiveTypes.Uint64)), nil
	}
	return compute.NewDatum(places.Value(0)), nil
}

// placesOf returns the places of needles, null for those that are null.
func placesOf(ctx context.Context, values, needles Data, side arrowsort.Side) (*array.Uint64, error) {
	return with(values, func(in arrowsort.Data) (*array.Uint64, error) {
		sought, err := open(needles)
		if err != nil {
			return nil, fmt.Errorf("the needles: %w", err)
		}
		defer sought.core.Release()
		return uint64s(functions.SearchSorted(ctx, in, sought.core, side, coreOptions(contextOptions(ctx))))
	})
}

// columnOf is dataOf for a datum that is one column.
func columnOf(datum compute.Datum) (Data, error) {
	if _, columns := datum.(compute.TableLikeDatum); columns && !adapter.IsNil(datum) {
		return nil, fmt.Errorf(
			"%w: takes an array or chunked array, not a datum of kind %s", arrow.ErrInvalid, datum.Kind(),
		)
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
