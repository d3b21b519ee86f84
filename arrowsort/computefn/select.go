package computefn

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
)

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
