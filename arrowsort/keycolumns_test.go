package arrowsort_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestResolveKeys(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8},
		arrow.Field{Name: "y", Type: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.Null}, {Name: "s", Type: inner}, {Name: "l", Type: arrow.ListOf(arrow.Null)}}, nil)
	columns, err := arrowsort.ResolveKeys(schema, []arrowsort.Key{
		{Path: "s.y", Order: arrowsort.Descending}, {Index: 1, Nulls: arrowsort.NullsAtStart}, {Index: 0}})
	require.NoError(t, err)
	require.Equal(t, []arrowsort.KeyColumn{
		{Name: "s.y", Path: []int{1, 1}, Type: arrow.BinaryTypes.String, Order: arrowsort.Descending},
		{Name: "s", Path: []int{1}, Type: inner, Nulls: arrowsort.NullsAtStart},
		{Name: "a", Path: []int{0}, Type: arrow.Null},
	}, columns)
	columns[2].Path[0] = 9 // the caller's
	columns, err = arrowsort.ResolveKeys(schema, []arrowsort.Key{{Index: 0}})
	require.NoError(t, err)
	require.Equal(t, []int{0}, columns[0].Path)

	for want, keys := range map[error][]arrowsort.Key{
		arrowsort.ErrNoKeys: nil, arrowsort.ErrColumn: {{Path: "b"}}, arrowsort.ErrKeyType: {{Path: "l"}},
		arrowsort.ErrOption: {{Path: "a", Order: 2}},
	} {
		_, err := arrowsort.ResolveKeys(schema, keys)
		require.ErrorIs(t, err, want)
	}
}
