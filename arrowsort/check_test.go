package arrowsort_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestIsSorted(t *testing.T) {
	mem := checked(t)
	i32 := arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		text  string
		key   arrowsort.Key
		limit int
		row   int
	}{
		{`[]`, arrowsort.Key{}, 0, -1}, {`[1]`, arrowsort.Key{}, 0, -1}, {`[1, 1, 2, null]`, arrowsort.Key{}, 0, -1},
		{`[1, 1, 2, null]`, arrowsort.Key{Nulls: arrowsort.NullsAtStart}, 0, 3},
		{`[1, 1, 2, null]`, arrowsort.Key{Order: arrowsort.Descending}, 0, 2},
		{`[null, 3, 3, 2, 4]`, arrowsort.Key{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, 0, 4},
		{`[null, 3, 3, 2, 4]`, arrowsort.Key{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, 4, -1},
		{`[2, 1, 0]`, arrowsort.Key{}, 2, 1}, {`[2, 1, 0]`, arrowsort.Key{}, 1, -1},
	} {
		a := fromJSON(t, mem, i32, c.text)
		sorted, row, err := arrowsort.IsSorted(t.Context(), chunked(t, i32, a), []arrowsort.Key{c.key},
			arrowsort.Options{Allocator: mem, Limit: c.limit})
		require.NoError(t, err)
		require.Equal(t, c.row, row, "%+v", c)
		require.Equal(t, c.row < 0, sorted, "%+v", c)
	}
	_, row, err := arrowsort.IsSorted(
		t.Context(), fromJSON(t, mem, arrow.ListOf(i32), `[]`), nil, arrowsort.Options{Allocator: mem},
	)
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
	require.Equal(t, -1, row)
}

func TestExplain(t *testing.T) {
	mem := checked(t)
	rec := record(
		t, []string{"delay", "name"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[5, 1030, 7]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["a", "b", null]`),
	)
	plan, err := arrowsort.Explain(
		t.Context(), rec, []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "name"}},
		arrowsort.Options{Allocator: mem},
	)
	require.NoError(t, err)
	require.Contains(t, plan.String(), "delay")
	require.Contains(t, plan.String(), "int64")
	require.Contains(t, plan.String(), "name")
	_, err = arrowsort.Explain(t.Context(), rec, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
}
