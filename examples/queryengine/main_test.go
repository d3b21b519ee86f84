package main

import (
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/examples/internal/doctest"
)

func TestOutput(t *testing.T) {
	doctest.Check(t, func(w io.Writer) error { return run(t.Context(), w) })
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		left, right         string
		leftRows, rightRows []uint32
	}{
		{`[1, 2, 2, 5]`, `[2, 3, 5, 9]`, []uint32{1, 2, 3}, []uint32{0, 0, 2}},
		{`[1, 2]`, `[3]`, nil, nil},
		{`[7, 4, 7]`, `[4, 7, 7]`, []uint32{0, 0, 1, 2, 2}, []uint32{1, 2, 0, 1, 2}},
	} {
		left, right := numbers(t, c.left), numbers(t, c.right)
		leftRows, rightRows, err := join(t.Context(), left, right)
		require.NoError(t, err)
		require.Equal(t, c.leftRows, leftRows)
		require.Equal(t, c.rightRows, rightRows)
	}
}

func numbers(t *testing.T, json string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32, strings.NewReader(json))
	require.NoError(t, err)
	t.Cleanup(a.Release)
	return a
}

func TestGroupBorders(t *testing.T) {
	require.Equal(t, []int{0, 2, 3, 6}, groupBorders([]int32{4, 4, 5, 9, 9, 9}))
	require.Equal(t, []int{0}, groupBorders(nil))
}
