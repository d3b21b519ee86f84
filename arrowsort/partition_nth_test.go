package arrowsort_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestPartitionNth sorts up to nth and has every row once, for every nth: few of the rows, and many.
func TestPartitionNth(t *testing.T) {
	mem := checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[2, "NaN", null, 4, "NaN", -1, null, 2]`)
	for _, key := range allKeys("") {
		keys := []arrowsort.Key{key}
		sorted := indices(t, mem, a, keys)
		for nth := range a.Len() + 1 {
			rows, err := arrowsort.PartitionNth(t.Context(), a, keys, nth, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			got := slices.Clone(rows.Uint64Values())
			rows.Release()
			if nth < a.Len() {
				require.Equal(t, sorted[:nth+1], got[:nth+1], "%+v, nth is %d", key, nth)
			}
			slices.Sort(got)
			require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7}, got)
		}
	}
}

func TestPartitionNthOfManyRows(t *testing.T) {
	mem := checked(t)
	const n = 150_000
	b := array.NewUint32Builder(mem)
	defer b.Release()
	for i := range uint32(n) {
		b.Append(i * 2_654_435_761 % 40_000)
	}
	a := b.NewArray()
	defer a.Release()
	sorted := indices(t, mem, a, nil)
	for _, nth := range []int{0, 1000, n/4 - 1, n / 4, n - 1} {
		rows, err := arrowsort.PartitionNth(t.Context(), a, nil, nth, arrowsort.Options{Allocator: mem, Threads: 2})
		require.NoError(t, err)
		got := slices.Clone(rows.Uint64Values())
		rows.Release()
		require.True(t, slices.Equal(sorted[:nth+1], got[:nth+1]), "nth is %d", nth)
		slices.Sort(got)
		for i, row := range got {
			require.EqualValues(t, i, row)
		}
	}
}

func TestPartitionNthErrors(t *testing.T) {
	mem := checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	for _, nth := range []int{-1, 3} {
		_, err := arrowsort.PartitionNth(t.Context(), a, nil, nth, arrowsort.Options{Allocator: mem})
		require.ErrorIs(t, err, arrowsort.ErrIndex)
		require.EqualError(t, err,
			fmt.Sprintf("arrowsort: invalid row number: nth is %d, the data has 2 rows", nth))
	}
	_, err := arrowsort.PartitionNth(
		t.Context(), a, []arrowsort.Key{{Index: 1}}, 2, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrColumn, "keys are checked when nothing is sorted, too")
}

// The median delay.
func ExamplePartitionNth() {
	rec := flights()
	defer rec.Release()
	delays := rec.Column(1)
	rows, err := arrowsort.PartitionNth(context.Background(), delays, nil, 1, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	fmt.Println(delays.ValueStr(int(rows.Value(1))))
	// Output: 12
}
