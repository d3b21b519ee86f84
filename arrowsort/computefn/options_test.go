package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

func TestTypeNames(t *testing.T) {
	require.Equal(t, "ArraySortOptions", computefn.ArraySortOptions{}.TypeName())
	require.Equal(t, "SortOptions", (&computefn.SortOptions{}).TypeName())
	require.Equal(t, "SelectKOptions", computefn.SelectKOptions{}.TypeName())
}

func TestOptionsAsValuePointerAndNil(t *testing.T) {
	c := newCaller(t)
	arr := c.array(arrow.PrimitiveTypes.Int32, `[2, null, 3, 1]`)
	first := []computefn.SortKey{{Order: desc, NullPlacement: start}}
	for _, test := range []struct {
		name string
		opts compute.FunctionOptions
		want []uint64
	}{
		{"array_sort_indices", nil, []uint64{3, 0, 2, 1}},
		{"array_sort_indices", (*computefn.ArraySortOptions)(nil), []uint64{3, 0, 2, 1}},
		{"array_sort_indices", computefn.ArraySortOptions{Order: desc}, []uint64{2, 0, 3, 1}},
		{"array_sort_indices", &computefn.ArraySortOptions{NullPlacement: start}, []uint64{1, 3, 0, 2}},
		{"sort_indices", nil, []uint64{3, 0, 2, 1}},
		{"sort_indices", (*computefn.SortOptions)(nil), []uint64{3, 0, 2, 1}},
		{"sort_indices", computefn.SortOptions{}, []uint64{3, 0, 2, 1}},
		{"sort_indices", computefn.SortOptions{NullPlacement: new(start)}, []uint64{1, 3, 0, 2}},
		{"sort_indices", computefn.SortOptions{SortKeys: first}, []uint64{1, 2, 0, 3}},
		{"sort_indices", &computefn.SortOptions{SortKeys: first, NullPlacement: new(end)}, []uint64{2, 0, 3, 1}},
		{"select_k_unstable", computefn.SelectKOptions{K: 2, SortKeys: first}, []uint64{1, 2}},
		{"select_k_unstable", &computefn.SelectKOptions{K: 2, SortKeys: first}, []uint64{1, 2}},
	} {
		require.Equal(t, test.want, c.rows(test.name, test.opts, arr), "%s with %#v", test.name, test.opts)
	}
	require.False(t, c.sorted(nil, arr))
	require.False(t, c.sorted((*computefn.SortOptions)(nil), arr))
}

func TestOptionsOfAnotherType(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int32, `[2, 1]`))
	defer datum.Release()
	for name, opts := range map[string]compute.FunctionOptions{
		"array_sort_indices": computefn.SortOptions{}, "sort_indices": &computefn.ArraySortOptions{},
		"sort": compute.DefaultTakeOptions(), "is_sorted": computefn.SelectKOptions{},
		"select_k_unstable": computefn.SortOptions{},
	} {
		err := c.fail(name, opts, datum)
		require.ErrorIs(t, err, arrow.ErrInvalid, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "Options, not")
	}
}

func TestSelectKNeedsOptions(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int32, `[2, 1]`))
	defer datum.Release()
	key := []computefn.SortKey{{}}
	for _, opts := range []compute.FunctionOptions{
		nil, (*computefn.SelectKOptions)(nil), computefn.SelectKOptions{K: 1},
		computefn.SelectKOptions{K: -1, SortKeys: key},
	} {
		err := c.fail("select_k_unstable", opts, datum)
		require.ErrorIs(t, err, arrow.ErrInvalid, "%#v", opts)
		require.ErrorContains(t, err, "select_k_unstable")
	}
}
