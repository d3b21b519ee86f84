package computefn

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// functions are the functions that Register adds.
func functions() []compute.Function {
	return []compute.Function{
		newFunction("array_sort_indices", arraySortIndicesDoc, ArraySortOptions{}, arraySortIndices),
		newFunction("sort_indices", sortIndicesDoc, SortOptions{}, sortIndices),
		newFunction("sort", sortDoc, SortOptions{}, sortData),
		newFunction("is_sorted", isSortedDoc, SortOptions{}, isSorted),
		newFunction("select_k_unstable", selectKDoc, nil, selectK),
	}
}

func arraySortIndices(ctx context.Context, options ArraySortOptions, datum compute.Datum) (compute.Datum, error) {
	if _, columns := datum.(compute.TableLikeDatum); columns {
		return nil, fmt.Errorf("%w: takes an array or chunked array, not a datum of kind %s; use sort_indices", arrow.ErrInvalid, datum.Kind())
	}
	key := SortKey{Order: options.Order, NullPlacement: options.NullPlacement}
	return sortIndices(ctx, SortOptions{SortKeys: []SortKey{key}}, datum)
}

func sortIndices(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	indices, err := indicesOf(ctx, options, datum, 0)
	if err != nil {
		return nil, err
	}
	return own(indices), nil
}

// selectK selects one row at least, since a limit of 0 is no limit, and so finds fault with the keys for every k.
func selectK(ctx context.Context, options SelectKOptions, datum compute.Datum) (compute.Datum, error) {
	if options.K < 0 {
		return nil, fmt.Errorf("%w: requires a nonnegative k, got %d", arrow.ErrInvalid, options.K)
	}
	if len(options.SortKeys) == 0 {
		return nil, fmt.Errorf("%w: requires one or more sort keys", arrow.ErrInvalid)
	}
	limit := int(min(max(options.K, 1), math.MaxInt))
	indices, err := indicesOf(ctx, SortOptions{SortKeys: options.SortKeys}, datum, limit)
	if err != nil {
		return nil, err
	}
	if options.K > 0 {
		return own(indices), nil
	}
	defer indices.Release()
	return own(array.NewSlice(indices, 0, 0)), nil
}

func sortData(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	switch d := data.(type) {
	case arrow.Record:
		return sorted(ctx, d, keys)
	case arrow.Table:
		return sorted(ctx, d, keys)
	case *arrow.Chunked:
		return sorted(ctx, d, keys)
	default:
		return sorted(ctx, d.(arrow.Array), keys)
	}
}

func isSorted(ctx context.Context, options SortOptions, datum compute.Datum) (compute.Datum, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	sorted, _, err := arrowsort.IsSorted(ctx, data, keys, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return compute.NewDatum(sorted), nil
}

// indicesOf are the first row numbers of the sorted order, limit of them or all for 0. The caller releases them.
func indicesOf(ctx context.Context, options SortOptions, datum compute.Datum, limit int) (*array.Uint64, error) {
	data, keys, err := input(options, datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	opts := sortOptions(ctx)
	opts.Limit = limit
	return arrowsort.SortIndices(ctx, data, keys, opts)
}

func sorted[T arrowsort.Data](ctx context.Context, data T, keys []arrowsort.Key) (compute.Datum, error) {
	out, err := arrowsort.Sort(ctx, data, keys, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(out), nil
}

// input is the data of a datum, which the caller releases, and the keys to sort it by.
func input(options SortOptions, datum compute.Datum) (arrowsort.Data, []arrowsort.Key, error) {
	data, err := dataOf(datum)
	if err != nil {
		return nil, nil, err
	}
	keys, err := options.keysOf(data)
	if err != nil {
		data.Release()
		return nil, nil, err
	}
	return data, keys, nil
}

// sortOptions are the allocator and the number of threads that the context asks for.
func sortOptions(ctx context.Context) arrowsort.Options {
	return arrowsort.Options{Allocator: compute.GetAllocator(ctx), Threads: max(compute.GetExecCtx(ctx).NumParallel, 0)}
}
