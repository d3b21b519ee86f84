package computefn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

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
