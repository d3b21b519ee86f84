package writer

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestBoundsOfNumbersWithNaN(t *testing.T) {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64,
		bytes.NewReader([]byte(`["NaN", 1, null, 2, "NaN", null]`)))
	require.NoError(t, err)
	defer a.Release()
	v := rowsOf(a)
	n := numberValues[float64](a.(*array.Float64).Float64Values())
	for _, c := range []struct{ row, rows, present int }{{0, 2, 2}, {0, 3, 2}, {3, 2, 2}, {4, 2, 1}, {5, 1, 0}} {
		low, high := n.bounds(v, c.row, c.rows, c.present)
		require.Nil(t, low, c)
		require.Nil(t, high, c)
	}
	low, high := n.bounds(v, 1, 3, 2)
	require.Equal(t, lowest(1.0), low)
	require.Equal(t, highest(2.0), high)
}
