package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
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
		return arrowsort.Sort(ctx, in, keys, coreOptions(opts))
	})
}

// SortIndices returns the row numbers of the data in the order of the keys: arrowsort.SortIndices for data of v18. The
// caller releases them.
func SortIndices(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.SortIndices(ctx, in, keys, coreOptions(opts)))
	})
}

// SortIndices32 is SortIndices with row numbers of half the size. It fails with arrowsort.ErrRows from 2^32 rows on.
func SortIndices32(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint32, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint32, error) {
		rows, err := arrowsort.SortIndices32(ctx, in, keys, coreOptions(opts))
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
		return none, bridge.Translate(err)
	}
	defer in.core.Release()
	result, err := do(in.core)
	return result, bridge.Translate(err)
}

// Take returns the rows of the data that the row numbers name, in their order, with all columns: arrowsort.Take for
// data of v18. The row numbers are an array of any integer type, without nulls. The result is as that of Sort.
func Take[T Data](ctx context.Context, data T, rows arrow.Array, opts Options) (T, error) {
	return transform(data, func(in arrowsort.Data) (arrowsort.Data, error) {
		if rows == nil {
			return nil, fmt.Errorf("%w: the row numbers are nil", arrowsort.ErrOption)
		}
		numbers, err := open(rows)
		if err != nil {
			return nil, fmt.Errorf("the row numbers: %w", err)
		}
		defer numbers.core.Release()
		return arrowsort.Take(ctx, in, numbers.core.(v15.Array), coreOptions(opts))
	})
}

// Rank returns the rank of every row of the data in the order of the keys, from 1 on: arrowsort.Rank for data of v18.
// The caller releases the ranks.
func Rank(ctx context.Context, data Data, keys []arrowsort.Key, ties arrowsort.TieBreaker, opts Options) (
	*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.Rank(ctx, in, keys, ties, coreOptions(opts)))
	})
}

// RankAverage is Rank that gives ties the mean of the ranks that they would have without ties: arrowsort.RankAverage
// for data of v18.
func RankAverage(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Float64, error) {
	return with(data, func(in arrowsort.Data) (*array.Float64, error) {
		ranks, err := arrowsort.RankAverage(ctx, in, keys, coreOptions(opts))
		if err != nil {
			return nil, err
		}
		return own(ranks, arrow.PrimitiveTypes.Float64).(*array.Float64), nil
	})
}

// CurveIndex returns the place of every row of the data on a space-filling curve over several keys:
// arrowsort.CurveIndex for data of v18. The caller releases the places.
func CurveIndex(ctx context.Context, data Data, keys []arrowsort.Key, c arrowsort.Curve, opts Options) (
	*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.CurveIndex(ctx, in, keys, c, coreOptions(opts)))
	})
}

// Groups returns the borders of the groups of rows that tie in the keys, of data that is in the order of the keys:
// arrowsort.Groups for data of v18. The caller releases them.
func Groups(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.Groups(ctx, in, keys, coreOptions(opts)))
	})
}

// PartitionNth returns the row numbers of the data, of which the first nth+1 are those of SortIndices:
// arrowsort.PartitionNth for data of v18. The caller releases them.
func PartitionNth(ctx context.Context, data Data, keys []arrowsort.Key, nth int, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.PartitionNth(ctx, in, keys, nth, coreOptions(opts)))
	})
}

// SelectKPerGroup returns the row numbers of the first k rows of each group of rows that tie in the group keys:
// arrowsort.SelectKPerGroup for data of v18. The caller releases them.
func SelectKPerGroup(ctx context.Context, data Data, groups, keys []arrowsort.Key, k int, opts Options) (
	*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.SelectKPerGroup(ctx, in, groups, keys, k, coreOptions(opts)))
	})
}

// SearchSorted returns, for each row of values, its place in data that is in the order of the keys:
// arrowsort.SearchSorted for data of v18. The caller releases the places.
func SearchSorted(
	ctx context.Context, data, values Data, keys []arrowsort.Key, side arrowsort.Side, opts Options,
) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		sought, err := open(values)
		if err != nil {
			return nil, fmt.Errorf("the values: %w", err)
		}
		defer sought.core.Release()
		return uint64s(arrowsort.SearchSorted(ctx, in, sought.core, keys, side, coreOptions(opts)))
	})
}

// IsSorted reports whether the data is in the order of the keys, and if it is not, the first row that sorts before its
// predecessor; else row is -1: arrowsort.IsSorted for data of v18.
func IsSorted(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (sorted bool, row int, err error) {
	row, err = with(data, func(in arrowsort.Data) (int, error) {
		_, row, err := arrowsort.IsSorted(ctx, in, keys, coreOptions(opts))
		return row, err
	})
	if err != nil {
		return false, -1, err
	}
	return row < 0, row, nil
}

// Explain returns the plan of a sort without sorting: arrowsort.Explain for data of v18.
func Explain(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (arrowsort.Plan, error) {
	return with(data, func(in arrowsort.Data) (arrowsort.Plan, error) {
		return arrowsort.Explain(ctx, in, keys, coreOptions(opts))
	})
}

// Merge merges inputs that are in the order of the keys into one: arrowsort.Merge for data of v18. Schema, types and
// metadata of the result, which the caller releases, are those of the first input.
func Merge[T Data](ctx context.Context, inputs []T, keys []arrowsort.Key, opts Options) (T, error) {
	var none T
	shared, cores := &convert.BufferMap{}, make([]arrowsort.Data, len(inputs))
	for i, input := range inputs {
		core, err := bridge.Borrow(input, shared)
		if err != nil {
			return none, bridge.Translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer core.Release()
		cores[i] = core
	}
	merged, err := arrowsort.Merge(ctx, cores, keys, coreOptions(opts))
	if err != nil {
		return none, bridge.Translate(err)
	}
	return result(inputs[0], merged, shared)
}

// MergeReaders is Merge for streams: arrowsort.MergeReaders for readers of v18. Records have at most
// Options.BatchRows rows and the schema of the first reader.
//
// The result keeps a reference to each reader until it is released. A record is valid until the next call of Next,
// unless it is retained.
func MergeReaders(
	ctx context.Context, readers []array.RecordReader, keys []arrowsort.Key, opts Options,
) (array.RecordReader, error) {
	for i, r := range readers {
		if adapter.IsNil(r) || r.Schema() == nil {
			return nil, bridge.Translate(fmt.Errorf("%w: reader %d is nil, or its schema is", arrowsort.ErrOption, i))
		}
	}
	if i, k, ok := adapter.Repeated(readers); ok {
		return nil, bridge.Translate(fmt.Errorf("%w: readers %d and %d are the same, whose rows can be read only once",
			arrowsort.ErrOption, i, k))
	}
	sources := make([]array15.RecordReader, len(readers))
	for i, r := range readers {
		s, err := bridge.NewSource(r)
		if err != nil {
			return nil, bridge.Translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer s.Release()
		sources[i] = s
	}
	core, err := arrowsort.MergeReaders(ctx, sources, keys, coreOptions(opts))
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return bridge.NewReader(core, readers[0].Schema()), nil
}
