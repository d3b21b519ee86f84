// Package computefn adds sorting to Arrow's compute functions.
//
// arrow/go v15 has no sort functions. [Register] adds these, with the names, options and semantics of Arrow
// C++ 26, so that they run by compute.CallFunction like any other:
//
//	array_sort_indices     ArraySortOptions     row numbers that sort an array or a chunked array
//	sort_indices           SortOptions          row numbers that sort an array, a chunked array, a record or a table
//	sort                   SortOptions          the sorted input, as a datum of the same kind
//	is_sorted              SortOptions          a boolean scalar
//	select_k_unstable      SelectKOptions       the first k row numbers of the sorted order
//	rank                   RankOptions          the rank of each row, uint64
//	rank_quantile          RankQuantileOptions  the quantile of each row, float64
//	rank_normal            RankQuantileOptions  the same as a quantile of the normal distribution
//	partition_nth_indices  PartitionNthOptions  row numbers of an array or a chunked array, sorted up to the pivot
//	hilbert_index          SortOptions          the place of each row of a record or table on a curve, uint64
//	zorder_index           SortOptions          the same for another curve
//	search_sorted          SearchSortedOptions  the places of needles in a sorted array or chunked array, uint64
//
// search_sorted has two arguments: the values, an array or chunked array, and the needles, the same or a scalar, for
// which the result is a scalar. It takes needles of the values' type however they are stored, see
// arrowsort.SearchSorted, and more types than Arrow C++. As there, a null needle is null in the result, and nulls of
// the values may be on either side. Values that are not in order are an error.
//
// Row numbers and ranks are an array without nulls for the whole input; chunk borders are never visible. Every sort is
// stable, select_k_unstable too. "sort" and "is_sorted" have no counterpart in Arrow C++ and follow sort_indices; ranks
// of records and tables have none either, nor have the curves, which are arrowsort.CurveIndex and need 2 to 8 keys.
//
// Memory comes from compute.GetAllocator(ctx), the number of threads is NumParallel of compute.GetExecCtx(ctx), and a
// cancelled context ends a call with its error. Inputs are borrowed; results belong to the caller, who releases them.
package computefn

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

// Register adds the sort functions to a registry: compute.GetFunctionRegistry(), whose functions every context finds,
// or another one.
//
// It adds all of them or none, unless another goroutine registers the same names meanwhile. The error names the
// functions that the registry has already and matches arrow.ErrKey.
func Register(registry compute.FunctionRegistry) error {
	if registry == nil {
		return fmt.Errorf("%w: computefn: no registry to add the sort functions to", arrow.ErrInvalid)
	}
	clashes := functions.Register(sortFunctions(), registry.CanAddFunction, registry.AddFunction)
	if clashes != "" {
		return fmt.Errorf("%w: computefn: the registry already has a function named %s", arrow.ErrKey, clashes)
	}
	return nil
}

// sortFunctions returns the functions that Register adds.
func sortFunctions() []compute.Function {
	return []compute.Function{
		newFunction("array_sort_indices", ArraySortOptions{}, arraySortIndices),
		newFunction("sort_indices", SortOptions{}, sortIndices),
		newFunction("sort", SortOptions{}, sortData),
		newFunction("is_sorted", SortOptions{}, isSorted),
		newFunction("select_k_unstable", nil, selectK),
		newFunction("rank", RankOptions{}, rank),
		newFunction("rank_quantile", RankQuantileOptions{}, quantiles(functions.Quantile)),
		newFunction("rank_normal", RankQuantileOptions{}, quantiles(functions.NormalQuantile)),
		newFunction("partition_nth_indices", nil, partitionNthIndices),
		newFunction("hilbert_index", SortOptions{}, curveIndex(arrowsort.Hilbert)),
		newFunction("zorder_index", SortOptions{}, curveIndex(arrowsort.ZOrder)),
		newFunctionOf("search_sorted", SearchSortedOptions{}, searchSorted),
	}
}
