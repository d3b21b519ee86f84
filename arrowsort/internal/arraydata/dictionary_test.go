package arraydata

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func entries(t *testing.T, text string) arrow.ArrayData {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(text))
	require.NoError(t, err)
	return a.Data()
}

func TestDistinctDictionaries(t *testing.T) {
	a, again := entries(t, `["x", "y"]`), entries(t, `["x", "y"]`)
	b, c := entries(t, `["y", "x"]`), entries(t, `["z"]`)
	for _, test := range []struct {
		of    []arrow.ArrayData
		want  []arrow.ArrayData
		which []int
	}{
		{nil, nil, []int{}},
		{[]arrow.ArrayData{nil}, nil, []int{-1}},
		{[]arrow.ArrayData{a, again, nil, a}, []arrow.ArrayData{a}, []int{0, 0, -1, 0}},
		{[]arrow.ArrayData{a, b, again, c, b, entries(t, `["y", "x"]`)}, []arrow.ArrayData{a, b, c},
			[]int{0, 1, 0, 2, 1, 1}},
	} {
		distinct, which := DistinctDictionaries(len(test.of), func(i int) arrow.ArrayData { return test.of[i] })
		require.Equal(t, test.want, distinct)
		require.Equal(t, test.which, which)
	}
}

func TestIndexLimit(t *testing.T) {
	require.EqualValues(t, 128, IndexLimit(arrow.PrimitiveTypes.Int8))
	require.EqualValues(t, 256, IndexLimit(arrow.PrimitiveTypes.Uint8))
	require.EqualValues(t, 1<<62, IndexLimit(arrow.PrimitiveTypes.Uint64))
}

// TestHasDictionary: at any level, but not in the values of a dictionary.
func TestHasDictionary(t *testing.T) {
	d := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	require.True(t, HasDictionary(arrow.ListOf(arrow.StructOf(arrow.Field{Name: "d", Type: d}))))
	require.False(t, HasDictionary(arrow.ListOf(arrow.BinaryTypes.String)))
}

// TestIdentical: bytes count, and a dictionary as well.
func TestIdentical(t *testing.T) {
	require.True(t, Identical(entries(t, `["x", null]`), entries(t, `["x", null]`)))
	require.False(t, Identical(entries(t, `["x", null]`), entries(t, `["x", ""]`)))
	require.False(t, Identical(entries(t, `["x"]`), entries(t, `["x", "y"]`)))
}
