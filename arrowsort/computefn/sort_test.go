package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

var trees = schema("id", arrow.PrimitiveTypes.Int16, "name", arrow.BinaryTypes.String,
	"leaves", arrow.ListOf(arrow.PrimitiveTypes.Int8))

const (
	unsortedTrees = `[{"id":3,"name":"oak","leaves":[1]},
		{"id":null,"name":"ash","leaves":null},{"id":1,"name":null,"leaves":[]},
		{"id":3,"name":"elm","leaves":[2,3]}]`
	sortedTrees = `[{"id":1,"name":null,"leaves":[]},
		{"id":3,"name":"oak","leaves":[1]},{"id":3,"name":"elm","leaves":[2,3]},
		{"id":null,"name":"ash","leaves":null}]`
)

// TestSortKeepsTheKind sorts each kind of input: the result is of the same kind.
func TestSortKeepsTheKind(t *testing.T) {
	c := newCaller(t)
	opts := &computefn.SortOptions{SortKeys: []computefn.SortKey{by("id", asc)}}

	record := c.dataOf(c.call("sort", opts, c.record(trees, unsortedTrees))).(arrow.Record)
	require.True(t, array.RecordEqual(c.record(trees, sortedTrees), record), "%v", record)

	table := c.dataOf(c.call("sort", opts, c.table(trees, unsortedTrees, `[]`))).(arrow.Table)
	require.True(t, array.TableEqual(c.table(trees, sortedTrees), table), "%v", table)

	opts = &computefn.SortOptions{SortKeys: []computefn.SortKey{{Order: desc}}}
	arr := c.dataOf(c.call("sort", opts, c.array(arrow.BinaryTypes.String, `["b", null, "c", "a"]`))).(arrow.Array)
	require.True(t, array.Equal(c.array(arrow.BinaryTypes.String, `["c", "b", "a", null]`), arr), "%v", arr)

	chunked := c.dataOf(c.call("sort", opts, c.chunked(arrow.PrimitiveTypes.Int8, `[2, null]`,
		`[9, 4]`))).(*arrow.Chunked)
	require.True(t, array.ChunkedEqual(c.chunked(arrow.PrimitiveTypes.Int8, `[9, 4, 2, null]`), chunked), "%v", chunked)
}

func TestIsSorted(t *testing.T) {
	c := newCaller(t)
	for json, want := range map[string]bool{
		`[]`: true, `[1]`: true, `[null, null]`: true, `[1, 1, 2, "NaN", null]`: true, `["-0", 0, "-0"]`: true,
		`[1, 0]`: false, `[null, 1]`: false, `["NaN", 1]`: false, `[1, null, "NaN"]`: false,
	} {
		arr := c.array(arrow.PrimitiveTypes.Float64, json)
		require.Equal(t, want, c.sorted(nil, arr), json)
		for cut := range arr.Len() + 1 {
			require.Equal(t, want, c.sorted(computefn.SortOptions{}, c.cut(arr, cut)), "%s cut at %d", json, cut)
		}
	}
	opts := computefn.SortOptions{SortKeys: []computefn.SortKey{by("id", asc), by("name", desc)}}
	require.True(t, c.sorted(opts, c.record(trees, sortedTrees)))
	require.False(t, c.sorted(opts, c.table(trees, unsortedTrees)))
	opts.SortKeys[1].Order = asc
	require.False(t, c.sorted(opts, c.record(trees, sortedTrees)))
}

// TestScalarType: is_sorted answers with a valid boolean.
func TestScalarType(t *testing.T) {
	c := newCaller(t)
	out := c.call("is_sorted", nil, c.array(arrow.PrimitiveTypes.Int8, `[1]`)).(*compute.ScalarDatum)
	require.Equal(t, arrow.FixedWidthTypes.Boolean, out.Type())
	require.Zero(t, out.NullN())
}

// TestSortByCollation sorts text in the order of a language.
func TestSortByCollation(t *testing.T) {
	c := newCaller(t)
	opts := &computefn.SortOptions{SortKeys: []computefn.SortKey{{Collation: "de"}}}
	words := c.array(arrow.BinaryTypes.String, `["Z", null, "ärger", "Arm"]`)
	arr := c.dataOf(c.call("sort", opts, words)).(arrow.Array)
	require.True(t, array.Equal(c.array(arrow.BinaryTypes.String, `["ärger", "Arm", "Z", null]`), arr), "%v", arr)
	require.True(t, c.sorted(*opts, arr))
	require.False(t, c.sorted(computefn.SortOptions{}, arr))
}

// TestSortByFunction sorts by functions of columns, and shuffles.
func TestSortByFunction(t *testing.T) {
	c := newCaller(t)
	numbers := c.array(arrow.PrimitiveTypes.Int8, `[5, -128, null, -4, 4]`)
	for of, want := range map[arrowsort.Function]string{arrowsort.Abs: `[-4, 4, 5, -128, null]`,
		arrowsort.Modulo(4): `[-128, -4, 4, 5, null]`, arrowsort.Random(42): `[4, -4, -128, 5, null]`} {
		opts := &computefn.SortOptions{SortKeys: []computefn.SortKey{{Function: of}}}
		arr := c.dataOf(c.call("sort", opts, numbers)).(arrow.Array)
		require.True(t, array.Equal(c.array(arrow.PrimitiveTypes.Int8, want), arr), "%s: %v", of, arr)
	}
}
