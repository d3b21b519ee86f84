package arrow18

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Merge merges inputs that are in the order of the keys into one: arrowsort.Merge for data of v18. Schema, types and
// metadata of the result, which the caller releases, are those of the first input.
func Merge[T Data](ctx context.Context, inputs []T, keys []arrowsort.Key, opts Options) (T, error) {
	var none T
	lent, cores := &convert.Loans{}, make([]arrowsort.Data, len(inputs))
	for i, input := range inputs {
		core, err := borrow(input, lent)
		if err != nil {
			return none, translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer core.Release()
		cores[i] = core
	}
	merged, err := arrowsort.Merge(ctx, cores, keys, opts.core())
	if err != nil {
		return none, translate(err)
	}
	return result(inputs[0], merged, lent)
}
