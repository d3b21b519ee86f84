package dictionary

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Values returns the values of the rows of a dictionary array, in one array. The caller releases it.
func Values(ctx context.Context, a *array.Dictionary, opts take.Options) (arrow.Array, error) {
	entries := a.Dictionary()
	null := arraydata.Nulls(opts.Allocator, entries.DataType(), 1)
	defer null.Release()
	rows := make([]uint32, a.Len())
	for i := range rows {
		rows[i] = uint32(entries.Len()) // the null
		if a.IsValid(i) {
			rows[i] = uint32(a.GetValueIndex(i))
		}
	}
	taken, err := take.Take(ctx, entries.DataType(), []arrow.Array{entries, null}, rows, opts)
	if err != nil {
		return nil, err
	}
	return taken[0], nil
}
