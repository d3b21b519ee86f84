package arrow18

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// PartitionNth returns the row numbers of the data, of which the first nth+1 are those of SortIndices:
// arrowsort.PartitionNth for data of v18. The caller releases them.
func PartitionNth(ctx context.Context, data Data, keys []arrowsort.Key, nth int, opts Options) (*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.PartitionNth(ctx, in, keys, nth, opts.core()))
	})
}

// SelectKPerGroup returns the row numbers of the first k rows of each group of rows that tie in the group keys:
// arrowsort.SelectKPerGroup for data of v18. The caller releases them.
func SelectKPerGroup(ctx context.Context, data Data, groups, keys []arrowsort.Key, k int, opts Options) (
	*array.Uint64, error) {
	return with(data, func(in arrowsort.Data) (*array.Uint64, error) {
		return uint64s(arrowsort.SelectKPerGroup(ctx, in, groups, keys, k, opts.core()))
	})
}
