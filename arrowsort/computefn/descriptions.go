package computefn

import "github.com/apache/arrow/go/v15/arrow/compute"

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
