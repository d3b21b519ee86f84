// Package computefn adds sorting to Arrow's compute functions.
//
// arrow/go v15 has no sort functions. [Register] adds these, with the names, options and semantics of Arrow
// C++ 26, so that they run by compute.CallFunction like any other:
//
//	array_sort_indices  ArraySortOptions  row numbers that sort an array or a chunked array
//	sort_indices        SortOptions       row numbers that sort an array, a chunked array, a record or a table
//	sort                SortOptions       the sorted input, as a datum of the same kind
//	is_sorted           SortOptions       a boolean scalar
//	select_k_unstable   SelectKOptions    the first k row numbers of the sorted order
//
// Row numbers are a uint64 array without nulls that counts over the whole input; chunk borders are never visible. Every
// sort is stable, select_k_unstable too. "sort" and "is_sorted" have no counterpart in Arrow C++ and follow
// sort_indices.
//
// Memory comes from compute.GetAllocator(ctx), the number of threads is NumParallel of compute.GetExecCtx(ctx), and a
// cancelled context ends a call with its error. Inputs are borrowed; results belong to the caller, who releases them.
package computefn

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
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
	functions := functions()
	var clashes []string
	for _, fn := range functions {
		if !registry.CanAddFunction(fn, false) {
			clashes = append(clashes, fn.Name())
		}
	}
	if clashes != nil {
		return errClash(clashes)
	}
	for _, fn := range functions {
		if !registry.AddFunction(fn, false) { // somebody else registers at this moment
			clashes = append(clashes, fn.Name())
		}
	}
	if clashes != nil {
		return errClash(clashes)
	}
	return nil
}

// functions are the functions that Register adds.
func functions() []compute.Function {
	return []compute.Function{
		newFunction("array_sort_indices", arraySortIndicesDoc, ArraySortOptions{}, arraySortIndices),
		newFunction("sort_indices", sortIndicesDoc, SortOptions{}, sortIndices),
		newFunction("sort", sortDoc, SortOptions{}, sortData),
		newFunction("is_sorted", isSortedDoc, SortOptions{}, isSorted),
		newFunction("select_k_unstable", selectKDoc, nil, selectK),
	}
}

func errClash(names []string) error {
	return fmt.Errorf(
		"%w: computefn: the registry already has a function named %s", arrow.ErrKey, strings.Join(names, ", "),
	)
}
