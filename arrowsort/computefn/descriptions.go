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
		Summary: "Tell whether an array, record batch or table is sorted",
		Description: `The result is a boolean scalar: true when sort_indices would leave every row
where it is.`,
	}
	selectKDoc = compute.FunctionDoc{
		Summary: "Select the indices of the first k elements in sorted order",
		Description: `The result are the first k row numbers of sort_indices, or all of them when
there are fewer rows. Ties keep their order in this implementation, which
the name does not promise.`,
	}
)
