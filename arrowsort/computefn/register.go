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
//	search_sorted          SearchSortedOptions  the places of needles in a sorted array or chunked array, uint64
//
// search_sorted has two arguments, the values and the needles: an array or a chunked array, or a scalar, for which the
// result is one. It takes needles of the values' type however they are stored, see arrowsort.SearchSorted, and more
// types than Arrow's. As there, a null needle is null in the result, and nulls of the values may be on either side.
// Values that are not in order are an error.
//
// Row numbers and ranks are an array without nulls for the whole input; chunk borders are never visible. Every sort is
// stable, select_k_unstable too. "sort" and "is_sorted" have no counterpart in Arrow C++ and follow sort_indices; ranks
// of records and tables have none either.
//
// Memory comes from compute.GetAllocator(ctx), the number of threads is NumParallel of compute.GetExecCtx(ctx), and a
// cancelled context ends a call with its error. Inputs are borrowed; results belong to the caller, who releases them.
package computefn

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"

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

// sortFunctions are the functions that Register adds.
func sortFunctions() []compute.Function {
	return []compute.Function{
		newFunction("array_sort_indices", arraySortIndicesDoc, ArraySortOptions{}, arraySortIndices),
		newFunction("sort_indices", sortIndicesDoc, SortOptions{}, sortIndices),
		newFunction("sort", sortDoc, SortOptions{}, sortData),
		newFunction("is_sorted", isSortedDoc, SortOptions{}, isSorted),
		newFunction("select_k_unstable", selectKDoc, nil, selectK),
		newFunction("rank", rankDoc, RankOptions{}, rank),
		newFunction("rank_quantile", rankQuantileDoc, RankQuantileOptions{}, rankQuantile),
		newFunction("rank_normal", rankNormalDoc, RankQuantileOptions{}, rankNormal),
		newFunction("partition_nth_indices", partitionNthDoc, nil, partitionNthIndices),
		newFunctionOf("search_sorted", searchSortedDoc, SearchSortedOptions{}, searchSorted),
	}
}

// The descriptions in the registry. Arrow limits the lines of a description to 78 characters.
var (
	arraySortIndicesDoc = compute.FunctionDoc{
		Summary: "Return the indices that would sort an array",
		Description: `The result is a stable sort of an array or chunked array: uint64 row numbers
over the whole input. Values come first, then NaNs, then nulls; or nulls,
NaNs, values, by ArraySortOptions.`,
	}
	sortIndicesDoc = compute.FunctionDoc{
		Summary: "Return the indices that would sort an array, record batch or table",
		Description: `The result is a stable sort of the input: uint64 row numbers over the whole
input. Values come first, then NaNs, then nulls; or nulls, NaNs, values, by
SortOptions. A record batch or table needs one or more sort keys.`,
	}
	sortDoc = compute.FunctionDoc{
		Summary: "Sort an array, record batch or table",
		Description: `The result is the input with its rows in the order of sort_indices, as a
datum of the input's own kind.`,
	}
	isSortedDoc = compute.FunctionDoc{
		Summary: "Report whether an array, record batch or table is sorted",
		Description: `The result is a boolean scalar: true when sort_indices would leave every row
where it is.`,
	}
	selectKDoc = compute.FunctionDoc{
		Summary: "Select the indices of the first k elements in sorted order",
		Description: `The result are the first k row numbers of sort_indices, or all of them when
there are fewer rows. Ties keep their order in this implementation, which
the name does not promise.`,
	}
	rankDoc = compute.FunctionDoc{
		Summary: "Compute the ranks of an array, record batch or table",
		Description: `The result is a uint64 rank, counted from 1, for each row of the input in the
order of sort_indices. Nulls tie with nulls and NaNs with NaNs; RankOptions
says which ranks ties get. A record batch or table needs one or more sort
keys.`,
	}
	rankQuantileDoc = compute.FunctionDoc{
		Summary: "Compute the quantile ranks of an array, record batch or table",
		Description: `The result is a double between 0 and 1 for each row of the input: the number
of rows that sort before it, and half of those that tie with it, itself
included, divided by the number of all rows. Nulls tie with nulls and NaNs
with NaNs.`,
	}
	rankNormalDoc = compute.FunctionDoc{
		Summary: "Compute the normal (gaussian) ranks of an array, record batch or table",
		Description: `The result is a double for each row of the input: the value that a normal
variable of mean 0 and variance 1 is below with the probability that is the
quantile rank of the row; see rank_quantile.`,
	}
	partitionNthDoc = compute.FunctionDoc{
		Summary: "Return the indices that partition an array around a pivot",
		Description: `The result are uint64 row numbers over the whole input. The one at the pivot,
counted from 0, is the one that sort_indices has there; rows before it are
not greater, rows after it are not less. Up to the pivot the row numbers are
sorted in this implementation, which the name does not promise.`,
	}
	searchSortedDoc = compute.FunctionDoc{
		ArgNames: []string{"values", "needles"},
		Summary:  "Find insertion indices for sorted input",
		Description: `The result is, for each needle, the uint64 place in the values, which are in
ascending order, before which it keeps them so: the first place or, by
SearchSortedOptions, the last. Nulls of the values are at their start or end;
needles are compared with the other values. A needle that is null is null in
the result. Values that are not in order are an error.`,
	}
)
