package roworder

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
)

// TestKeysOfAFooterAreThoseOfTheSort: keys become sorting columns and keys again.
func TestKeysOfAFooterAreThoseOfTheSort(t *testing.T) {
	keys := []arrowsort.Key{
		arrowsort.KeyOf("a.b"),
		{Path: "c", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, arrowsort.KeyAt(2)}
	require.Equal(t, keys, flagtext.KeysOf(SortingOf(keys)))
}

// TestFirstUnsortedRowOfBatches counts rows in the batch, also where the row above is in the batch before.
func TestFirstUnsortedRowOfBatches(t *testing.T) {
	keys, c := []arrowsort.Key{arrowsort.KeyOf("a")}, Checker{}
	defer c.Forget()
	for _, batch := range []struct {
		values string
		row    int64
	}{{"[1, 1, 3]", -1}, {"[]", -1}, {"[3, 5]", -1}, {"[4, 9]", 0}, {"[5, 7, 6]", 2}} {
		table := tableOf(t, batch.values)
		row, err := c.Add(t.Context(), keys, table)
		table.Release()
		require.NoError(t, err)
		require.Equal(t, batch.row, row, batch.values)
	}
	c.Forget()
	table := tableOf(t, "[0]")
	defer table.Release()
	row, err := c.Add(t.Context(), keys, table)
	require.NoError(t, err)
	require.EqualValues(t, -1, row, "after Forget any row is in order")
}

func TestFilesThatFollowOneAnother(t *testing.T) {
	files := func(keys ...[2]uint64) *Sortedness {
		s := &Sortedness{}
		for i, k := range keys {
			s.files = append(s.files, fileRange{number: i, path: string(rune('a' + i)),
				firstKey: k[:1], lastKey: k[1:]})
		}
		return s
	}
	for name, c := range map[string]struct {
		order   *Sortedness
		paths   []string
		asGiven bool
		overlap int
	}{
		"in order":           {files([2]uint64{1, 2}, [2]uint64{2, 4}), []string{"a", "b"}, true, 2},
		"the wrong way":      {files([2]uint64{3, 4}, [2]uint64{1, 2}), []string{"b", "a"}, false, 1},
		"ties the wrong way": {files([2]uint64{2, 4}, [2]uint64{1, 2}), nil, false, 2},
		"overlap":            {files([2]uint64{1, 5}, [2]uint64{2, 3}, [2]uint64{6, 7}), nil, false, 2},
		"no rows":            {files(), nil, true, 0},
	} {
		require.Equal(t, c.paths, c.order.Concatenable(), name)
		require.Equal(t, c.asGiven, c.order.SortedAsGiven(), name)
		require.Equal(t, c.overlap, c.order.Overlap(), name)
	}
}

func tableOf(t *testing.T, values string) arrow.Table {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(values))
	require.NoError(t, err)
	defer a.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType()}}, nil)
	return array.NewTableFromSlice(schema, [][]arrow.Array{{a}})
}
