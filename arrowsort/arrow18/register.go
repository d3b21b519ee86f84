package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

// Register adds the sort functions to a registry of v18: compute.GetFunctionRegistry(), whose functions every context
// finds, or another one. Their names are those of Arrow C++ after "arrowsort.", since v18 has functions "sort_indices"
// and "sort":
//
//	arrowsort.array_sort_indices     SortOptions          row numbers that sort an array or a chunked array
//	arrowsort.sort_indices           SortOptions          row numbers that sort data of any kind
//	arrowsort.sort                   SortOptions          the sorted input, as a datum of the same kind
//	arrowsort.is_sorted              SortOptions          a boolean scalar
//	arrowsort.select_k_unstable      SelectKOptions       the first k row numbers of the sorted order
//	arrowsort.rank                   RankOptions          the rank of each row, uint64
//	arrowsort.rank_quantile          SortOptions          the quantile of each row, float64
//	arrowsort.rank_normal            SortOptions          the same as a quantile of the normal distribution
//	arrowsort.partition_nth_indices  PartitionNthOptions  row numbers, sorted up to the pivot
//	arrowsort.hilbert_index          SortOptions          the place of each row on a curve over several keys, uint64
//	arrowsort.zorder_index           SortOptions          the same for another curve
//	arrowsort.search_sorted          SearchSortedOptions  the places of needles in a sorted column, uint64
//
// arrowsort.search_sorted has two arguments: the values, an array or chunked array, and the needles, the same or a
// scalar, which has a scalar as its result. It takes needles of the values' type however they are stored, see
// arrowsort.SearchSorted. As in Arrow C++, a null needle is null in the result, and nulls of the values may be on
// either side. Values that are not in order are an error.
//
// SortOptions may also be compute.SortOptions, so that a call of "sort" of v18 becomes one of "arrowsort.sort" by its
// name alone. Replace puts these functions in the place of v18's.
//
// Memory comes from compute.GetAllocator(ctx), the number of threads is NumParallel of compute.GetExecCtx(ctx), and a
// cancelled context ends a call with its error. Inputs are borrowed; results belong to the caller, who releases them.
//
// Register adds all functions or none, unless another goroutine registers the same names meanwhile. The error names the
// functions that the registry has already and matches arrow.ErrKey.
func Register(registry compute.FunctionRegistry) error {
	if registry == nil {
		return fmt.Errorf("%w: arrow18: no registry to add the sort functions to", arrow.ErrInvalid)
	}
	clashes := functions.Register(sortFunctions(), registry.CanAddFunction, registry.AddFunction)
	if clashes != "" {
		return fmt.Errorf("%w: arrow18: the registry already has a function named %s", arrow.ErrKey, clashes)
	}
	return nil
}

// replaced are the names of the functions of v18 that sort.
var replaced = []string{"sort_indices", "sort"}

// Replace puts the functions of Register in the place of those of v18, "sort_indices" and "sort", in a registry:
// compute.GetFunctionRegistry(), so that compute.SortIndices, compute.Sort and all calls by name sort with this package
// from then on, or a child of it, for contexts with that registry only. Options are v18's or those of Register. It
// fails with arrow.ErrKey, and changes nothing, if a parent of the registry does not let its functions be replaced.
func Replace(registry compute.FunctionRegistry) error {
	if registry == nil {
		return fmt.Errorf("%w: arrow18: no registry to replace the sort functions of", arrow.ErrInvalid)
	}
	own := map[string]compute.Function{}
	for _, fn := range sortFunctions() {
		own[fn.Name()] = fn
	}
	for _, name := range replaced {
		if !registry.CanAddFunction(renamed{own[prefix+name], name}, true) {
			return fmt.Errorf("%w: arrow18: the registry does not let function %s be replaced", arrow.ErrKey, name)
		}
	}
	for _, name := range replaced {
		registry.AddFunction(renamed{own[prefix+name], name}, true)
	}
	return nil
}

// A renamed function stands in a registry under another name.
type renamed struct {
	compute.Function
	name string
}

func (f renamed) Name() string { return f.name }

// sortFunctions returns the functions that Register adds.
func sortFunctions() []compute.Function {
	return []compute.Function{
		newFunction("array_sort_indices", SortOptions{}, arraySortIndices),
		newFunction("sort_indices", SortOptions{}, sortIndices),
		newFunction("sort", SortOptions{}, sortDatum),
		newFunction("is_sorted", SortOptions{}, isSorted),
		newFunction("select_k_unstable", nil, selectK),
		newFunction("rank", RankOptions{}, rank),
		newFunction("rank_quantile", SortOptions{}, quantiles(functions.Quantile)),
		newFunction("rank_normal", SortOptions{}, quantiles(functions.NormalQuantile)),
		newFunction("partition_nth_indices", nil, partitionNth),
		newFunction("hilbert_index", SortOptions{}, curveIndex(arrowsort.Hilbert)),
		newFunction("zorder_index", SortOptions{}, curveIndex(arrowsort.ZOrder)),
		newFunctionOf("search_sorted", SearchSortedOptions{}, searchSorted),
	}
}

// A function handles every kind of datum itself, not by the executor for vector functions, which ignores a cancelled
// context.
type function struct {
	*compute.MetaFunction
	defaults compute.FunctionOptions
}

// DefaultOptions returns the options of a call without options; nil when a call needs some.
func (f *function) DefaultOptions() compute.FunctionOptions { return f.defaults }

// newFunction makes a function of one datum. The defaults are nil when a call needs options.
func newFunction[T compute.FunctionOptions](name string, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, data Data) (compute.Datum, error),
) *function {
	first := func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error) {
		data, err := dataOf(args[0])
		if err != nil {
			return nil, err
		}
		defer data.Release()
		return run(ctx, options, data)
	}
	return newFunctionOf(name, defaults, first)
}

// prefix begins the names of the functions.
const prefix = "arrowsort."

// newFunctionOf makes a function of the arguments it is described by.
func newFunctionOf[T compute.FunctionOptions](name string, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error),
) *function {
	var none T
	d := functions.Describe(name, prefix)
	doc := compute.FunctionDoc{Summary: d.Summary, Description: d.Text, ArgNames: d.Arguments,
		OptionsType: none.TypeName(), OptionsRequired: defaults == nil}
	name = prefix + name
	impl := func(ctx context.Context, opts compute.FunctionOptions, args ...compute.Datum) (compute.Datum, error) {
		if keys, ok := opts.(compute.SortOptions); ok {
			opts = sortOptions(keys, args[0])
		}
		return functions.Call(ctx, name, opts, doc.OptionsRequired, arrow.ErrInvalid,
			func(options T) (compute.Datum, error) { return run(ctx, options, args) })
	}
	return &function{compute.NewMetaFunction(name, compute.Arity{NArgs: len(doc.ArgNames)}, doc, impl), defaults}
}
