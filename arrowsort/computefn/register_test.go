package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

var names = []string{
	"array_sort_indices", "hilbert_index", "is_sorted", "partition_nth_indices", "rank", "rank_normal", "rank_quantile",
	"search_sorted", "select_k_unstable", "sort", "sort_indices", "zorder_index",
}

func TestRegister(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, computefn.Register(registry))
	require.Equal(t, names, registry.GetFunctionNames())
	options := map[string]string{
		"array_sort_indices": "ArraySortOptions", "sort_indices": "SortOptions", "sort": "SortOptions",
		"is_sorted": "SortOptions", "select_k_unstable": "SelectKOptions",
		"rank": "RankOptions", "rank_quantile": "RankQuantileOptions", "rank_normal": "RankQuantileOptions",
		"partition_nth_indices": "PartitionNthOptions", "hilbert_index": "SortOptions", "zorder_index": "SortOptions",
		"search_sorted": "SearchSortedOptions",
	}
	for _, name := range names {
		fn, ok := registry.GetFunction(name)
		require.True(t, ok, name)
		require.Equal(t, name, fn.Name())
		require.NoError(t, fn.Validate(), name)
		require.Equal(t, compute.FuncMeta, fn.Kind(), name)
		arity := compute.Unary()
		if name == "search_sorted" {
			arity = compute.Binary()
		}
		require.Equal(t, arity, fn.Arity(), name)
		require.Equal(t, options[name], fn.Doc().OptionsType, name)
		if fn.Doc().OptionsRequired {
			require.Contains(t, []string{"select_k_unstable", "partition_nth_indices"}, name)
			require.Nil(t, fn.DefaultOptions())
		} else {
			require.Equal(t, options[name], fn.DefaultOptions().TypeName())
		}
	}
}

func TestRegisterNamesClashes(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, computefn.Register(registry))
	err := computefn.Register(registry)
	require.ErrorIs(t, err, arrow.ErrKey)
	for _, name := range names {
		require.ErrorContains(t, err, name)
	}
	err = computefn.Register(compute.NewChildRegistry(registry))
	require.ErrorIs(t, err, arrow.ErrKey, "a parent's functions clash too")
}

func TestRegisterAddsAllOrNone(t *testing.T) {
	registry := compute.NewRegistry()
	require.True(
		t, registry.AddFunction(compute.NewScalarFunction("sort", compute.Unary(), compute.EmptyFuncDoc), false),
	)
	err := computefn.Register(registry)
	require.ErrorIs(t, err, arrow.ErrKey)
	require.ErrorContains(t, err, "named sort")
	require.NotContains(t, err.Error(), "sort_indices")
	require.Equal(t, []string{"sort"}, registry.GetFunctionNames())
}

func TestRegisterWithoutRegistry(t *testing.T) {
	require.ErrorIs(t, computefn.Register(nil), arrow.ErrInvalid)
}

// hasty reports that there is room, as a registry does to two callers at once.
type hasty struct{ compute.FunctionRegistry }

func (hasty) CanAddFunction(compute.Function, bool) bool { return true }

func TestRegisterAtTheSameMoment(t *testing.T) {
	registry := hasty{compute.NewRegistry()}
	require.NoError(t, computefn.Register(registry))
	err := computefn.Register(registry)
	require.ErrorIs(t, err, arrow.ErrKey)
	require.ErrorContains(t, err, "is_sorted")
}
