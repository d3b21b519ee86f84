package arrowsort_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func borders(t *testing.T, data arrowsort.Data, keys []arrowsort.Key, opts arrowsort.Options) []uint64 {
	got, err := arrowsort.Groups(t.Context(), data, keys, opts)
	require.NoError(t, err)
	defer got.Release()
	return slices.Clone(got.Uint64Values())
}

func TestGroups(t *testing.T) {
	mem := arrowtest.Checked(t)
	f64 := arrow.PrimitiveTypes.Float64
	start, desc := arrowsort.NullsAtStart, arrowsort.Descending
	for _, c := range []struct {
		json string
		key  arrowsort.Key
		want []uint64
	}{
		{`[]`, arrowsort.Key{}, []uint64{0}}, {`[3]`, arrowsort.Key{}, []uint64{0, 1}},
		{`[3, 3, 3]`, arrowsort.Key{}, []uint64{0, 3}}, {`[1, 2, 3]`, arrowsort.Key{}, []uint64{0, 1, 2, 3}},
		{`["-Inf", "-0", 0, 2, "NaN", "NaN", null, null]`, arrowsort.Key{}, []uint64{0, 1, 3, 4, 6, 8}},
		{`[null, null, "NaN", 2, 2, 0, "-0"]`, arrowsort.Key{Nulls: start, Order: desc}, []uint64{0, 2, 3, 5, 7}},
		{`[null, "NaN", "NaN", 2, 2]`, arrowsort.Key{Nulls: start}, []uint64{0, 1, 3, 5}},
	} {
		a := fromJSON(t, mem, f64, c.json)
		keys := []arrowsort.Key{c.key}
		require.Equal(t, c.want, borders(t, a, keys, arrowsort.Options{Allocator: mem}), c.json)
		for cut := range a.Len() + 1 {
			require.Equal(t, c.want, borders(t, cutIn2(t, a, cut), keys, arrowsort.Options{Allocator: mem}), c.json)
		}
	}
}

// TestGroupsBySeveralKeys: long strings tie in all words but one.
func TestGroupsBySeveralKeys(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "s"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1, 1, 1, 1, 2]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["of some length: a", "of some length: a", "of some length: b",
			"of some length: b, and more", "of some length: b, and more"]`))
	both := []arrowsort.Key{{Path: "a"}, {Path: "s"}}
	require.Equal(t, []uint64{0, 2, 3, 4, 5}, borders(t, rec, both, arrowsort.Options{Allocator: mem}))
	require.Equal(t, []uint64{0, 4, 5}, borders(t, rec, both[:1], arrowsort.Options{Allocator: mem}))
}

func TestGroupsOfUnsortedData(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1, 2, 1, 0]`)
	for _, data := range []arrowsort.Data{a, cutIn2(t, a, 2)} {
		got, err := arrowsort.Groups(t.Context(), data, nil, arrowsort.Options{Allocator: mem})
		require.Nil(t, got)
		require.ErrorIs(t, err, arrowsort.ErrUnsorted)
		require.ErrorIs(t, err, arrow.ErrInvalid)
		require.EqualError(t, err, "arrowsort: not sorted: row 2 sorts before row 1; sort by the keys first")
	}
	_, err := arrowsort.Groups(t.Context(), a, []arrowsort.Key{{Path: "a"}}, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

// The sizes of the groups, and one row of each.
func ExampleGroups() {
	rec := flights()
	defer rec.Release()
	ctx, keys, opts := context.Background(), []arrowsort.Key{{Path: "origin"}}, arrowsort.Options{}
	sorted, err := arrowsort.Sort(ctx, rec, keys, opts)
	if err != nil {
		panic(err)
	}
	defer sorted.Release()
	borders, err := arrowsort.Groups(ctx, sorted, keys, opts)
	if err != nil {
		panic(err)
	}
	defer borders.Release()
	for i := range borders.Len() - 1 {
		first, end := borders.Value(i), borders.Value(i+1)
		fmt.Println(sorted.Column(0).ValueStr(int(first)), end-first)
	}
	// Output:
	// JFK 1
	// OAK 1
	// SEA 2
}
