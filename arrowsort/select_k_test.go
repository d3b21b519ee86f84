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

func TestSelectKPerGroup(t *testing.T) {
	mem := checked(t)
	rec := record(t, []string{"g", "v"}, fromJSON(t, mem, arrow.BinaryTypes.String, `["b", null, "a", "b", "b", null]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1, 5, 7, 3, 3, 4]`))
	g, v := arrowsort.Key{Path: "g"}, arrowsort.Key{Path: "v", Order: arrowsort.Descending}
	for _, c := range []struct {
		groups, keys []arrowsort.Key
		k, limit     int
		want         []uint64
	}{
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 1, 0, []uint64{2, 3, 1}},
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 2, 0, []uint64{2, 3, 4, 1, 5}},
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 9, 0, []uint64{2, 3, 4, 0, 1, 5}},
		{[]arrowsort.Key{g}, nil, 2, 0, []uint64{2, 0, 3, 1, 5}},
		{[]arrowsort.Key{g}, []arrowsort.Key{v}, 1, 2, []uint64{0, 1}},
		{[]arrowsort.Key{g, v}, nil, 1, 0, []uint64{2, 3, 0, 1, 5}},
		{[]arrowsort.Key{g, v}, []arrowsort.Key{v}, 1, 0, []uint64{2, 3, 0, 1, 5}},
	} {
		opts := arrowsort.Options{Allocator: mem, Limit: c.limit}
		rows, err := arrowsort.SelectKPerGroup(t.Context(), rec, c.groups, c.keys, c.k, opts)
		require.NoError(t, err)
		require.Equal(t, c.want, slices.Clone(rows.Uint64Values()), "%+v", c)
		rows.Release()
	}
}

// TestSelectKPerGroupOfManyRows has groups that are longer than what one worker handles.
func TestSelectKPerGroupOfManyRows(t *testing.T) {
	mem := checked(t)
	const n = 300_000
	b := array.NewInt8Builder(mem)
	defer b.Release()
	for i := range n {
		b.Append(int8(i % 3))
	}
	a := b.NewArray()
	defer a.Release()
	for _, k := range []int{1, 70_000, n} {
		rows, err := arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, nil, k,
			arrowsort.Options{Allocator: mem, Threads: 2})
		require.NoError(t, err)
		require.Equal(t, 3*min(k, n/3), rows.Len())
		for i, row := range rows.Uint64Values() {
			group, place := i/min(k, n/3), i%min(k, n/3)
			require.EqualValues(t, group+3*place, row)
		}
		rows.Release()
	}
}

func TestSelectKPerGroupErrors(t *testing.T) {
	mem := checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1]`)
	opts := arrowsort.Options{Allocator: mem}
	_, err := arrowsort.SelectKPerGroup(t.Context(), a, nil, []arrowsort.Key{{}}, 1, opts)
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	_, err = arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, nil, 0, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "k is 0")
	_, err = arrowsort.SelectKPerGroup(t.Context(), a, []arrowsort.Key{{}}, []arrowsort.Key{{Path: "x"}}, 1, opts)
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

// The longest delay of each origin.
func ExampleSelectKPerGroup() {
	rec := flights()
	defer rec.Release()
	ctx, opts := context.Background(), arrowsort.Options{}
	rows, err := arrowsort.SelectKPerGroup(ctx, rec, []arrowsort.Key{{Path: "origin"}},
		[]arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}, 1, opts)
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	longest, err := arrowsort.Take(ctx, rec, rows, opts)
	if err != nil {
		panic(err)
	}
	defer longest.Release()
	fmt.Println(longest.Column(0), longest.Column(1))
	// Output: ["JFK" "OAK" "SEA"] [40 (null) 12]
}
