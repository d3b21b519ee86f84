package arrowsort_test

import (
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestMoreThan4GRows uses nulls, which take no memory.
func TestMoreThan4GRows(t *testing.T) {
	rows := int64(1) << 33
	if strconv.IntSize == 32 {
		return // no int holds them, and so no array has them
	}
	mem := checked(t)
	opts := arrowsort.Options{Allocator: mem}
	nulls := array.NewNull(int(rows))
	defer nulls.Release()
	taken, err := arrowsort.Take(
		t.Context(), nulls, fromJSON(t, mem, arrow.PrimitiveTypes.Uint64, `[8589934591, 0]`), opts,
	)
	require.NoError(t, err)
	require.Equal(t, 2, taken.Len())
	taken.Release()
	_, err = arrowsort.Take(t.Context(), nulls, fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[0, 8589934592]`), opts)
	require.EqualError(
		t, err,
		"arrowsort: invalid row number: the row number at position 1 is 8589934592, the data has 8589934592 rows",
	)

	_, err = arrowsort.SortIndices(t.Context(), nulls, nil, opts)
	require.ErrorIs(t, err, arrowsort.ErrRows)
	require.EqualError(t, err, "arrowsort: too many rows: 8589934592; sort fewer than 2^32 at once")
	sorted, row, err := arrowsort.IsSorted(t.Context(), nulls, nil, arrowsort.Options{Allocator: mem, Limit: 10})
	require.NoError(t, err)
	require.True(t, sorted)
	require.Equal(t, -1, row)
}

func TestTakeDoesNotCopyRowNumbers(t *testing.T) {
	mem := checked(t)
	rows := fromJSON(t, mem, arrow.PrimitiveTypes.Uint32, `[1, 0]`)
	none := &exhausted{Allocator: mem, left: 0}
	bare := array.NewRecord(arrow.NewSchema(nil, nil), nil, 5)
	defer bare.Release()
	taken, err := arrowsort.Take(t.Context(), bare, rows, arrowsort.Options{Allocator: none})
	require.NoError(t, err)
	taken.Release()
}
