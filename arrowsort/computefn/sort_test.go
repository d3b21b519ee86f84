package computefn_test

import (
	"math"
	"slices"
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

// TestSelectK takes the first k rows for every k: they are the head of sort_indices.
func TestSelectK(t *testing.T) {
	for name, test := range arrayCases {
		for _, typ := range test.types {
			t.Run(name+"/"+typ.String(), func(t *testing.T) {
				c := newCaller(t)
				whole := c.array(typ, test.json)
				chunked := c.cut(whole, whole.Len()/2)
				for i, mode := range modes {
					for k := range int64(len(test.want[i])) + 2 {
						opts := computefn.SelectKOptions{
							K: k, SortKeys: []computefn.SortKey{{Order: mode.Order, NullPlacement: mode.NullPlacement}},
						}
						want := test.want[i][:min(k, int64(len(test.want[i])))]
						require.Equal(t, want, c.rows("select_k_unstable", opts, whole), "k = %d, %+v", k, mode)
						require.Equal(
							t, want, c.rows("select_k_unstable", opts, chunked), "k = %d, %+v, chunked", k, mode,
						)
					}
				}
			})
		}
	}
}

func TestSelectKOfRecordsAndTables(t *testing.T) {
	for name, test := range tableCases {
		t.Run(name, func(t *testing.T) {
			c := newCaller(t)
			half := len(test.rows) / 2
			for _, d := range []arrowsort.Data{
				c.record(test.schema, list(test.rows)), c.table(test.schema, list(test.rows[:half]),
					list(test.rows[half:]))} {
				for _, k := range []int{0, 1, 2, len(test.rows), math.MaxInt} {
					opts := computefn.SelectKOptions{K: int64(k), SortKeys: test.keys}
					require.Equal(
						t, test.end[:min(k, len(test.end))], c.rows("select_k_unstable", opts, d), "k = %d", k,
					)
				}
			}
		})
	}
}

// TestSelectNothing finds fault with the keys also when no row is wanted.
func TestSelectNothing(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	defer datum.Release()
	err := c.fail("select_k_unstable", computefn.SelectKOptions{SortKeys: []computefn.SortKey{by("b", asc)}}, datum)
	require.ErrorIs(t, err, arrow.ErrInvalid)
}

// TestPartitionNthIndices has the row at each pivot that a sort has, and smaller ones before it.
func TestPartitionNthIndices(t *testing.T) {
	c := newCaller(t)
	for name, test := range arrayCases {
		whole := c.array(test.types[0], test.json)
		n := whole.Len()
		for _, data := range []arrowsort.Data{whole, c.cut(whole, n/2)} {
			for i, placement := range []arrowsort.NullPlacement{end, start} {
				for pivot := range n + 1 {
					opts := computefn.PartitionNthOptions{Pivot: int64(pivot), NullPlacement: placement}
					got := c.rows("partition_nth_indices", &opts, data)
					require.ElementsMatch(t, test.want[i], got, name)
					head := slices.Sorted(slices.Values(got[:pivot]))
					require.Equal(t, slices.Sorted(slices.Values(test.want[i][:pivot])), head, "%s at %d", name, pivot)
					if pivot < n {
						require.Equal(t, test.want[i][pivot], got[pivot], "%s at %d", name, pivot)
					}
				}
			}
		}
	}
}

func TestPartitionNthIndicesErrors(t *testing.T) {
	c := newCaller(t)
	arr := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int8, `[2, 1]`))
	defer arr.Release()
	for _, pivot := range []int64{-1, 3, math.MaxInt64} {
		err := c.fail("partition_nth_indices", computefn.PartitionNthOptions{Pivot: pivot}, arr)
		require.ErrorIs(t, err, arrow.ErrIndex)
	}
	for _, opts := range []compute.FunctionOptions{nil, (*computefn.PartitionNthOptions)(nil)} {
		require.ErrorIs(t, c.fail("partition_nth_indices", opts, arr), arrow.ErrInvalid)
	}
	record := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	defer record.Release()
	err := c.fail("partition_nth_indices", computefn.PartitionNthOptions{}, record)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "takes an array or chunked array")
}
