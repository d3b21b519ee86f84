package computefn

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func partitionNthIndices(ctx context.Context, options PartitionNthOptions, datum compute.Datum) (compute.Datum, error) {
	if err := noColumns(datum); err != nil {
		return nil, err
	}
	data, err := dataOf(datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	keys := []arrowsort.Key{{Nulls: options.NullPlacement}}
	rows, err := arrowsort.PartitionNth(ctx, data, keys, int(min(options.Pivot, math.MaxInt)), sortOptions(ctx))
	if err != nil {
		return nil, err
	}
	return own(rows), nil
}
