package arrow18

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// Groups returns the borders of the groups of rows that tie in the keys, of data that is in the order of the keys:
// arrowsort.Groups for data of v18. The caller releases them.
func Groups(ctx context.Context, data Data, keys []arrowsort.Key, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.Groups(ctx, in, keys, opts.core()))
	})
}
