package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

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
		return uint64s(arrowsort.SearchSorted(ctx, in, sought.core, keys, side, opts.core()))
	})
}
