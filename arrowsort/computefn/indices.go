package computefn

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func arraySortIndices(ctx context.Context, options ArraySortOptions, datum compute.Datum) (compute.Datum, error) {
	if err := noColumns(datum); err != nil {
		return nil, fmt.Errorf("%w; use sort_indices", err)
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
