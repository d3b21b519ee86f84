package arrowsort_test

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// A call is a function of this package with its arguments but the context and the options.
type call = func(context.Context, arrowsort.Options) (arrowsort.Data, error)

// data returns the result of a call as Data.
func data[T arrowsort.Data](result T, err error) (arrowsort.Data, error) { return result, err }

// released releases the result of a call.
func released(d arrowsort.Data, err error) error {
	if err == nil {
		d.Release()
	}
	return err
}

// callsOn returns a call of each function of data: of the rows of in, of those of sorted where they must be in order,
// of values that are searched, and of the numbers of the rows that are taken.
func callsOn(in, sorted, values arrowsort.Data, rows arrow.Array, keys []arrowsort.Key) map[string]call {
	half := (len(keys) + 1) / 2
	return map[string]call{
		"Sort":          by(arrowsort.Sort[arrowsort.Data], in, keys),
		"SortIndices":   by(arrowsort.SortIndices, in, keys),
		"SortIndices32": by(arrowsort.SortIndices32, in, keys),
		"RankAverage":   by(arrowsort.RankAverage, in, keys),
		"Groups":        by(arrowsort.Groups, sorted, keys),
		"Explain":       by(arrowsort.Explain, in, keys),
		"IsSorted": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			_, _, err := arrowsort.IsSorted(ctx, sorted, keys, o)
			return array.NewNull(0), err
		},
		"Rank": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Rank(ctx, in, keys, arrowsort.TiesMin, o))
		},
		"PartitionNth": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.PartitionNth(ctx, in, keys, 1, o))
		},
		"SelectKPerGroup": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SelectKPerGroup(ctx, in, keys[:half], keys[half:], 2, o))
		},
		"CurveIndex": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.CurveIndex(ctx, in, keys[:min(4, len(keys))], arrowsort.Hilbert, o))
		},
		"SearchSorted": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SearchSorted(ctx, sorted, values, keys, arrowsort.Right, o))
		},
		"Merge": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return arrowsort.Merge(ctx, []arrowsort.Data{sorted, sorted}, keys, o)
		},
		"Take": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return arrowsort.Take(ctx, in, rows, o)
		},
	}
}

// by returns a call of a function of data and keys.
func by[R any](
	f func(context.Context, arrowsort.Data, []arrowsort.Key, arrowsort.Options) (R, error), in arrowsort.Data,
	keys []arrowsort.Key,
) call {
	return func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
		result, err := f(ctx, in, keys, o)
		if d, ok := any(result).(arrowsort.Data); ok {
			return d, err
		}
		return array.NewNull(0), err
	}
}
