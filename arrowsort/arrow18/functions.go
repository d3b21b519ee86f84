package arrow18

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

// SortOptions are the options of most functions of Register. The zero value sorts an array or a chunked array ascending
// with nulls at the end; records and tables need one key at least.
type SortOptions struct {
	// Keys order the rows, the most significant first.
	Keys []arrowsort.Key
}

// TypeName returns the name of these options.
func (SortOptions) TypeName() string { return "arrowsort.SortOptions" }

// SelectKOptions are the options of arrowsort.select_k_unstable, which has no defaults.
type SelectKOptions struct {
	// K is the number of row numbers wanted, not negative; all of them if there are fewer rows.
	K int64
	// Keys order the rows, the most significant first; one at least.
	Keys []arrowsort.Key
}

// TypeName returns the name of these options.
func (SelectKOptions) TypeName() string { return "arrowsort.SelectKOptions" }

// RankOptions are the options of arrowsort.rank. The zero value ranks an array or a chunked array as SortOptions sorts
// it; ties get ranks in the order of the rows.
type RankOptions struct {
	// Keys order the rows, the most significant first.
	Keys []arrowsort.Key
	Ties arrowsort.TieBreaker
}

// TypeName returns the name of these options.
func (RankOptions) TypeName() string { return "arrowsort.RankOptions" }

// PartitionNthOptions are the options of arrowsort.partition_nth_indices, which has no defaults.
type PartitionNthOptions struct {
	// Pivot is the place in the result that has the row of the sorted order: 0 up to the number of rows.
	Pivot int64
	// Keys order the rows, the most significant first; an array or a chunked array needs none.
	Keys []arrowsort.Key
}

// TypeName returns the name of these options.
func (PartitionNthOptions) TypeName() string { return "arrowsort.PartitionNthOptions" }

// SearchSortedOptions are the options of arrowsort.search_sorted. The zero value is the left side.
type SearchSortedOptions struct {
	// Side is the place among values that tie with a needle: the first one, or the one after the last.
	Side arrowsort.Side
}

// TypeName returns the name of these options.
func (SearchSortedOptions) TypeName() string { return "arrowsort.SearchSortedOptions" }

// sortOptions returns the options that sort keys of v18 mean. For arrays and chunked arrays the first key counts,
// whatever its column.
func sortOptions(keys compute.SortOptions, datum compute.Datum) SortOptions {
	if _, columns := datum.(compute.TableLikeDatum); !columns && len(keys) > 0 {
		keys = compute.SortOptions{{Order: keys[0].Order, NullPlacement: keys[0].NullPlacement}}
	}
	converted := SortOptions{Keys: make([]arrowsort.Key, len(keys))}
	for i, key := range keys {
		converted.Keys[i] = arrowsort.Key{At: arrowsort.Column(key.ColumnIndex), Order: arrowsort.Order(key.Order),
			Nulls: arrowsort.NullPlacement(key.NullPlacement)}
	}
	return converted
}

func arraySortIndices(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	switch data.(type) {
	case arrow.RecordBatch, arrow.Table:
		return nil, fmt.Errorf("%w: takes an array or chunked array; use arrowsort.sort_indices", arrow.ErrInvalid)
	}
	return sortIndices(ctx, options, data)
}

func sortIndices(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	return owned(SortIndices(ctx, data, options.Keys, contextOptions(ctx)))
}

func sortDatum(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	return owned(Sort(ctx, data, options.Keys, contextOptions(ctx)))
}

func isSorted(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
	sorted, _, err := IsSorted(ctx, data, options.Keys, contextOptions(ctx))
	if err != nil {
		return nil, err
	}
	return compute.NewDatum(sorted), nil
}

func selectK(ctx context.Context, options SelectKOptions, data Data) (compute.Datum, error) {
	limit, err := functions.SelectLimit(options.K, len(options.Keys), arrow.ErrInvalid)
	if err != nil {
		return nil, err
	}
	opts := contextOptions(ctx)
	opts.Limit = limit
	rows, err := SortIndices(ctx, data, options.Keys, opts)
	if err != nil || options.K > 0 {
		return owned(rows, err)
	}
	defer rows.Release()
	return owned(array.NewSlice(rows, 0, 0), nil)
}

func rank(ctx context.Context, options RankOptions, data Data) (compute.Datum, error) {
	return owned(Rank(ctx, data, options.Keys, options.Ties, contextOptions(ctx)))
}

// quantiles returns the function of f of the quantile of each row.
func quantiles(f func(q float64) float64) func(context.Context, SortOptions, Data) (compute.Datum, error) {
	return func(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
		opts := contextOptions(ctx)
		ranks, err := RankAverage(ctx, data, options.Keys, opts)
		if err != nil {
			return nil, err
		}
		if err := functions.Quantiles(ctx, ranks.Float64Values(), opts.Threads, f); err != nil {
			ranks.Release()
			return nil, err
		}
		return owned(ranks, nil)
	}
}

// curveIndex returns the function of the places on a curve.
func curveIndex(c arrowsort.Curve) func(context.Context, SortOptions, Data) (compute.Datum, error) {
	return func(ctx context.Context, options SortOptions, data Data) (compute.Datum, error) {
		return owned(CurveIndex(ctx, data, options.Keys, c, contextOptions(ctx)))
	}
}

func partitionNth(ctx context.Context, options PartitionNthOptions, data Data) (compute.Datum, error) {
	nth := int(min(options.Pivot, math.MaxInt))
	return owned(PartitionNth(ctx, data, options.Keys, nth, contextOptions(ctx)))
}

// owned makes a datum that takes over the caller's reference to the data, unless there is an error.
func owned[D Data](data D, err error) (compute.Datum, error) {
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return compute.NewDatum(data), nil
}

// contextOptions returns the allocator and the number of threads that the context asks for. Arrow's default is the
// number of processors, which may be more than the program may use.
func contextOptions(ctx context.Context) Options {
	threads := min(compute.GetExecCtx(ctx).NumParallel, runtime.GOMAXPROCS(0))
	return Options{Allocator: compute.GetAllocator(ctx), Threads: max(threads, 0)}
}

// dataOf returns the data of a datum. The caller releases it; the datum keeps its own reference.
func dataOf(datum compute.Datum) (Data, error) {
	if adapter.IsNil(datum) {
		return nil, errNoInput
	}
	var data Data
	switch d := datum.(type) {
	case *compute.ArrayDatum:
		if d.Value != nil {
			return array.MakeFromData(d.Value), nil
		}
	case *compute.ChunkedDatum:
		data = d.Value
	case *compute.RecordDatum:
		data = d.Value
	case *compute.TableDatum:
		data = d.Value
	default:
		return nil, fmt.Errorf("%w: takes an array, chunked array, record or table, not a datum of kind %s",
			arrow.ErrNotImplemented, d.Kind())
	}
	if adapter.IsNil(data) {
		return nil, errNoInput
	}
	data.Retain()
	return data, nil
}

var errNoInput = fmt.Errorf("%w: the input is nil or was released", arrow.ErrInvalid)
