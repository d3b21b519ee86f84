package take

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func floatData(t *testing.T, values ...float64) arrow.ArrayData {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	t.Cleanup(b.Release)
	b.AppendValues(values, nil)
	a := b.NewArray()
	t.Cleanup(a.Release)
	return a.Data()
}

func TestIdentical(t *testing.T) {
	a := floatData(t, 0, 2)
	require.True(t, Identical(a, a))
	require.True(t, Identical(a, floatData(t, 0, 2)))
	require.True(t, Identical(floatData(t, math.NaN()), floatData(t, math.NaN())))
	require.False(t, Identical(a, floatData(t, 0)))
	require.False(t, Identical(a, floatData(t, 0, 3)))
	require.False(t, Identical(a, floatData(t, math.Copysign(0, -1), 2)), "-0.0 must survive")

	list := func(values arrow.ArrayData, entries arrow.ArrayData) arrow.ArrayData {
		d := array.NewData(
			arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64), 1, []*memory.Buffer{nil}, []arrow.ArrayData{values},
			0, 0,
		)
		t.Cleanup(d.Release)
		if entries != nil {
			d.SetDictionary(entries)
		}
		return d
	}
	require.True(t, Identical(list(a, nil), list(floatData(t, 0, 2), nil)), "children")
	require.False(t, Identical(list(a, nil), list(floatData(t, 0, 3), nil)), "children")
	require.True(t, Identical(list(a, a), list(a, floatData(t, 0, 2))), "dictionaries")
	require.False(t, Identical(list(a, a), list(a, nil)), "dictionaries")
}
