package computefn

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

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

func sorted[T arrowsort.Data](ctx context.Context, data T, keys []arrowsort.Key) (compute.Datum, error) {
	out, err := arrowsort.Sort(ctx, data, keys, sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(out), nil
}
