package arrow18

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Sort returns the data in the order of the keys, with all columns: arrowsort.Sort for data of v18.
//
// The result has the type of the data: T is arrow.RecordBatch, arrow.Table, *arrow.Chunked or a type of array. Schema,
// types, extension types included, and metadata are kept. Order, errors, limits, cancellation and how many chunks come
// out are those of arrowsort.Sort.
//
// Input and result are not copied between the versions. The caller releases the result, whose memory then goes back to
// the allocator of the options; what it shares with the input (dictionaries, and the bytes of string views) is held
// until then.
func Sort[T Data](ctx context.Context, data T, keys []arrowsort.Key, opts Options) (T, error) {
	return transform(data, func(in arrowsort.Data) (arrowsort.Data, error) {
		return arrowsort.Sort(ctx, in, keys, opts.core())
	})
}

// SortIndices returns the row numbers of the data in the order of the keys: arrowsort.SortIndices for data of v18. The
// caller releases them.
func SortIndices(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.SortIndices(ctx, in, keys, opts.core()))
	})
}

// SortIndices32 is SortIndices with row numbers of half the size. It fails with arrowsort.ErrRows from 2^32 rows on.
func SortIndices32(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint32, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint32, error) {
		rows, err := arrowsort.SortIndices32(ctx, in, keys, opts.core())
		if err != nil {
			return nil, err
		}
		return own(rows, arrow.PrimitiveTypes.Uint32).(*array.Uint32), nil
	})
}

// uint64s makes an array of v18 from one of v15, which it takes over, unless there is an error.
func uint64s(a *array15.Uint64, err error) (*array.Uint64, error) {
	if err != nil {
		return nil, err
	}
	return own(a, arrow.PrimitiveTypes.Uint64).(*array.Uint64), nil
}

// own makes an array of v18 from one of v15, which it takes over.
func own(a v15.Array, typ arrow.DataType) arrow.Array {
	defer a.Release()
	return convert.ToArray(a, typ)
}

// with passes data to a function of the core.
func with[R any](data Data, do func(arrowsort.Data) (R, error)) (R, error) {
	in, err := open(data)
	if err != nil {
		var none R
		return none, translate(err)
	}
	defer in.core.Release()
	result, err := do(in.core)
	return result, translate(err)
}
